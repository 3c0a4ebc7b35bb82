/** Messages for owners about wrong settings. Loaded only when a setting is wrong. */
import { table } from './all-settings.ts';
import type { Data } from '../loader/settings.ts';
import { warn } from '../loader/warn.ts';

/** Why a value is wrong, and what to write instead. */
const advice: Readonly<Record<string, string>> = {
  name: 'is not a name: write letters, digits and dashes, such as "blog"',
  theme: 'is unknown: write one of auto, light, dark',
  position: 'is unknown: write one of right, left',
  layout: 'is unknown: write one of bubble, sidebar, modal, inline',
  deepLink: 'is unknown: write one of prefill, send, off',
  accent: 'is not a color: write for example "#3451d1"',
  deflect: 'is not a CSS selector: write for example "#ticket-subject, #ticket-body"',
  target: 'is not a CSS selector: write for example "#assistant"',
  shortcut: 'is not a shortcut: write "mod+i", "ctrl+shift+k" or "none"',
  language: 'is not a language: write "auto" or a code such as "de"',
  consentLink: 'is not an address: write "https://example.com/privacy" or "/privacy"',
  hideOn: 'is not a list of paths: write for example "/blog/*, /legal"',
  filter:
    'is not a JSON object: write for example {"version":"2.1"}. Until then, the assistant is off, because its answers would use all versions',
  strings: 'is not a JSON object: write for example {"title":"Ask the docs"}',
};
const yesOrNo = 'is unknown: write "true" or "false"';

/** `hideOn` becomes `data-hide-on`. */
const attributeOf = (name: string) =>
  `data-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function shown(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

function aboutSite(value: string, write: (site: string) => string): string {
  if (!value) return `is missing: write ${write('docs.example.com')}.`;
  const host = value.replace(/^\w+:\/\//, '').replace(/[/?#\s].*/, '');
  return `must be the domain only: write ${write(host)}.`;
}

function aboutKey(value: string, write: (key: string) => string): string {
  if (!value) return `is missing: write the site’s assistant key, ${write('svc_dsc_…')}.`;
  if (value.startsWith('svc_dsc_'))
    return `is not a complete key: write the one that \`docent keys create\` printed.`;
  return value.startsWith('svc_')
    ? `is an admin key, which must never be in a page: revoke it, then write an assistant key, ${write('svc_dsc_…')}.`
    : 'is not an assistant key: write one that begins with "svc_dsc_".';
}
/** In a tag, or in the options of `createDocent`. */
function inSettings(name: string, value: unknown, isOptions: boolean): string {
  const text = typeof value === 'string' ? value.trim() : '';
  const [label, sign] = isOptions ? [name, ': '] : [attributeOf(name), '='];
  const write = (right: string) => `${label}${sign}"${right}"`;
  const written = `${label}${sign}${shown(value)}`;
  const start = isOptions ? 'createDocent: ' : '';
  if (name === 'site') return `${start}${text ? written : label} ${aboutSite(text, write)}`;
  if (name === 'key') {
    // Never show a key that opens more.
    const isShown = text.startsWith('svc_dsc_');
    return `${start}${isShown ? written : label} ${aboutKey(text, write)}`;
  }
  const fallback = table[name as keyof typeof table]?.[1];
  const used = typeof fallback === 'string' && fallback ? ` "${fallback}" is used.` : '';
  return `${start}${written} ${advice[name] ?? yesOrNo}.${used}`;
}

function inUpdate(name: string, value: unknown): string {
  if (!Object.hasOwn(table, name)) {
    return `update({ ${name} }): there is no such setting. Write one of ${Object.keys(table).slice(3).join(', ')}.`;
  }
  if (/^(site|key|name)$/.test(name)) {
    return `update({ ${name} }) isn't possible. Destroy the widget and create another one.`;
  }
  const words = (advice[name] ?? yesOrNo).split('. ')[0] ?? '';
  return `update({ ${name}: ${shown(value)} }) ${words}. Nothing has changed.`;
}

/** Whether so many letters differ, are missing, or are swapped with their neighbor, or fewer. */
function isNear(one: string, other: string, edits: number): boolean {
  if (!one || !other) return one.length + other.length <= edits;
  if (one[0] === other[0]) return isNear(one.slice(1), other.slice(1), edits);
  if (edits <= 0) return false;
  const isSwapped = one[0] === other[1] && one[1] === other[0];
  return (
    isNear(one.slice(1), other.slice(1), edits - 1) ||
    isNear(one.slice(1), other, edits - 1) ||
    isNear(one, other.slice(1), edits - 1) ||
    (isSwapped && isNear(one.slice(2), other.slice(2), edits - 1))
  );
}

/** What the owner meant, if it's near: other tools have attributes of their own. */
const meantBy = (name: string): string | undefined =>
  [1, 2]
    .flatMap((edits) =>
      Object.keys(table).filter(
        (known) =>
          edits <= known.length / 3 && isNear(name.toLowerCase(), known.toLowerCase(), edits),
      ),
    )
    .at(0);

/** Misspelled names that the owner knows about. */
const told = new Set<string>();

export function explain(data: Data, wrong: readonly string[], isUpdate = false): void {
  // Only options have a `url`.
  const isOptions = 'url' in data;
  for (const name of wrong) {
    if (isUpdate) warn(inUpdate(name, data[name]));
    else if (Object.hasOwn(table, name)) warn(inSettings(name, data[name], isOptions));
  }
  if (isUpdate) return;
  for (const name of Object.keys(data)) {
    const meant = Object.hasOwn(table, name) || told.has(name) ? undefined : meantBy(name);
    // Whoever has set it means something else with this one.
    if (meant === undefined || data[meant] !== undefined) continue;
    told.add(name);
    const [written, right] = isOptions ? [name, meant] : [name, meant].map(attributeOf);
    const where = isOptions ? 'createDocent: ' : '';
    warn(`${where}${written} is not a setting. Did you mean ${right}?`);
  }
}
