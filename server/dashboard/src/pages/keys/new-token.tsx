import type { KeyWithToken } from '@docent/shared/managed-keys';
import type { ComponentChildren } from 'preact';
import { serviceUrl } from '../../base.ts';
import { Snippet } from '../../components/copy.tsx';
import { Secret } from '../../components/secret.tsx';
import { sites } from '../../components/site.tsx';

interface NewTokenProps {
  made: KeyWithToken;
  onClose: () => void;
  children?: ComponentChildren;
}

/** A token, and how to use it. */
export function NewToken({ made: { key, token }, onClose, children }: NewTokenProps) {
  const isAdmin = key.kind === 'admin';
  const canAsk = key.scopes.includes('assistant');
  const site = key.domain ?? sites.value?.[0]?.domain ?? 'your-site';
  return (
    <div class="form">
      <Secret
        value={token}
        label="key"
        note={
          isAdmin
            ? undefined
            : 'This is shown only once. You can put it into your pages, where readers can see it.'
        }
      />
      {children}
      {isAdmin && (
        <div class="stack">
          <p>Try it on your server:</p>
          <Snippet
            label="Copy command"
            text={`curl -H "Authorization: Bearer ${token}" \\\n  ${serviceUrl('/v1/keys')}`}
          />
        </div>
      )}
      {!isAdmin && canAsk && (
        <div class="stack">
          <p>Paste this before &lt;/body&gt; of every page:</p>
          <Snippet
            label="Copy script tag"
            text={`<script src="${serviceUrl('/docent.js')}"\n  data-site="${site}"\n  data-key="${token}" async></script>`}
          />
        </div>
      )}
      <div class="form-foot">
        <button type="button" class="button primary" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  );
}
