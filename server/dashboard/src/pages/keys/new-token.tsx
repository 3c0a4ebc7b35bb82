import type { KeyWithToken } from '@docent/shared/managed-keys';
import type { ComponentChildren } from 'preact';
import { serviceUrl } from '../../base.ts';
import { Snippet } from '../../components/copy.tsx';
import { Secret } from '../../components/secret.tsx';
import { sites } from '../../components/site.tsx';

interface NewTokenProps {
  title: string;
  made: KeyWithToken;
  onClose: () => void;
  children?: ComponentChildren;
}

/** A token, and how to use it. */
export function NewToken({ title, made: { key, token }, onClose, children }: NewTokenProps) {
  const isAdmin = key.kind === 'admin';
  const site = key.domain ?? sites.value?.[0]?.domain ?? 'your-site';
  return (
    <Secret
      title={title}
      onClose={onClose}
      value={token}
      label="key"
      note={
        isAdmin
          ? 'Copy it now, and keep it like a password.'
          : 'You can put it into your pages, where readers can see it.'
      }
    >
      {children}
      {isAdmin && (
        <Example
          intro="Try it on your server:"
          label="Copy command"
          text={`curl -H "Authorization: Bearer ${token}" \\\n  ${serviceUrl('/v1/keys')}`}
        />
      )}
      {!isAdmin && key.scopes.includes('assistant') && (
        <Example
          intro="Paste this before </body> of every page:"
          label="Copy script tag"
          text={`<script src="${serviceUrl('/docent.js')}"\n  data-site="${site}"\n  data-key="${token}" async></script>`}
        />
      )}
    </Secret>
  );
}

const Example = ({ intro, label, text }: { intro: string; label: string; text: string }) => (
  <div class="stack">
    <p>{intro}</p>
    <Snippet label={label} text={text} />
  </div>
);
