import './install.css';
import { scriptTag, type TagOption, optionsFor, toUpdate } from '@docent/shared/script-tag';
import type { FindingsReply, TagReply } from '@docent/shared/sites';
import { useEffect, useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { useLoad } from '../../api/load.ts';
import { Badge, Notice } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Snippet } from '../../components/copy.tsx';
import { Load } from '../../components/empty.tsx';
import { Filters } from '../../components/filters.tsx';
import { Page, Section } from '../../components/page.tsx';
import { OfSite, SiteSelect } from '../../components/site.tsx';
import { toastError } from '../../components/toast.tsx';
import { can } from '../../session.ts';

export default function InstallPage() {
  return (
    <Page title="Install" description="Add the assistant to the pages of your documentation.">
      {can('POST /v1/sites/{domain}/tag') ? (
        <>
          <Filters>
            <SiteSelect />
          </Filters>
          <OfSite>{(domain) => <Tag key={domain} domain={domain} />}</OfSite>
        </>
      ) : (
        <Notice>To see the script tag, you need the editor role.</Notice>
      )}
    </Page>
  );
}

function Tag({ domain }: { domain: string }) {
  const path = `/v1/sites/${encodeURIComponent(domain)}/tag`;
  const tag = useLoad(path, () => send<TagReply>('POST', path));
  return (
    <Load from={tag} lines={8}>
      {(data) => (
        <>
          <Chooser domain={domain} tag={data} />
          <Place place={data.place} />
          <Check domain={domain} />
        </>
      )}
    </Load>
  );
}

interface WidgetWindow {
  Docent?: (command: string, options?: object) => unknown;
}
const widget = (command: string, options?: object) =>
  (globalThis as WidgetWindow).Docent?.(command, options);

function Chooser({ domain, tag }: { domain: string; tag: TagReply }) {
  const [choices, setChoices] = useState<ReadonlyMap<string, string>>(new Map());
  const [isShown, setShown] = useState(false);
  const choose = (name: string, value: string | undefined) => {
    const next = new Map(choices);
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
    setChoices(next);
    widget('update', {
      ...toUpdate(next),
      ...(next.get('layout') === 'inline' && { layout: null }),
    });
  };

  // The preview ends with the page.
  useEffect(() => () => void widget('destroy'), []);

  function preview() {
    const script = document.createElement('script');
    script.src = tag.src;
    script.dataset['site'] = domain;
    script.dataset['key'] = tag.key;
    for (const [name, value] of choices) {
      if (name !== 'layout' || value !== 'inline') script.dataset[name] = value;
    }
    script.addEventListener('load', () => widget('open'));
    script.addEventListener('error', () => toastError(new Error('The widget isn’t built.')));
    document.head.append(script);
    setShown(true);
  }

  return (
    <Section
      title="Script tag"
      description="Choose how it looks, and paste the tag into the template of your pages, before </body>. The key in it is public."
      actions={<Button onClick={() => (isShown ? widget('open') : preview())}>Try it here</Button>}
    >
      {[false, true].map((isSwitch) => (
        <div key={String(isSwitch)} class="cards">
          {optionsFor(choices)
            .filter(({ kind }) => (kind === 'switch') === isSwitch)
            .map((option) => (
              <Option
                key={option.name}
                option={option}
                value={choices.get(option.name)}
                onChange={(value) => choose(option.name, value)}
              />
            ))}
        </div>
      ))}
      <Snippet
        text={scriptTag({ src: tag.src, site: domain, key: tag.key }, choices)}
        label="Copy tag"
      />
      {choices.get('layout') === 'inline' && (
        <p class="quiet">The panel appears in the element that data-target names.</p>
      )}
    </Section>
  );
}

interface OptionProps {
  option: TagOption;
  /** `undefined`: the default. */
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

function Option({ option, value, onChange }: OptionProps) {
  const { name, label, choices, kind, placeholder, isOn } = option;
  const id = `option-${name}`;
  if (kind === 'switch') {
    return (
      <div class="field tick">
        <label for={id}>{label}</label>
        <input
          id={id}
          type="checkbox"
          checked={value === undefined ? isOn === true : value === 'true'}
          onChange={({ currentTarget: { checked } }) =>
            onChange(checked === isOn ? undefined : String(checked))
          }
        />
      </div>
    );
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {choices ? (
        <select
          id={id}
          value={value ?? choices[0]?.[0]}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.selectedIndex === 0 ? undefined : currentTarget.value)
          }
        >
          {choices.map(([choice, words]) => (
            <option key={choice} value={choice}>
              {words}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          {...(kind === 'color' ? { type: 'color' as const } : { type: 'text' as const })}
          value={value ?? (kind === 'color' ? '#3451d1' : '')}
          {...(placeholder !== undefined && { placeholder })}
          onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
        />
      )}
    </div>
  );
}

function Place({ place }: Pick<TagReply, 'place'>) {
  if (!place) return null;
  const { generator, file, snippet, isDone } = place;
  return (
    <Section
      title={`For ${names[generator] ?? generator}`}
      description={
        isDone ? (
          <>
            <code>{file}</code> already has the tag.
          </>
        ) : (
          <>
            Add this to <code>{file}</code>, or run <code>docent init</code> in its folder.
          </>
        )
      }
    >
      {!isDone && <Snippet text={snippet} label="Copy" />}
    </Section>
  );
}

const names: Record<string, string> = {
  docusaurus: 'Docusaurus',
  vitepress: 'VitePress',
  starlight: 'Starlight',
  mkdocs: 'MkDocs',
  nextra: 'Nextra',
  docsify: 'docsify',
  mintlify: 'Mintlify',
};

function Check({ domain }: { domain: string }) {
  const [findings, setFindings] = useState<FindingsReply['findings']>();
  const check = async () => {
    const path = `/v1/sites/${encodeURIComponent(domain)}/check`;
    setFindings((await send<FindingsReply>('POST', path)).findings);
  };
  return (
    <Section
      title="Check my site"
      description="Opens the published site, and looks for the tag, its key, the allowed origin, the content security policy, and the pages and anchors that answers cite."
      actions={<Button onClick={check}>Check</Button>}
    >
      <div role="status">
        <ul class="findings">
          {findings?.map(({ kind, text, fix }) => (
            <li key={text}>
              <Badge tone={tones[kind]}>{words[kind]}</Badge>
              <div>
                {text}
                {fix !== undefined && <p class="quiet">{fix}</p>}
              </div>
            </li>
          ))}
        </ul>
      </div>
    </Section>
  );
}

const tones = { fine: 'good', note: 'neutral', problem: 'bad' } as const;
const words = { fine: 'Works', note: 'Note', problem: 'Problem' };
