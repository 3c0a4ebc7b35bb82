/** The script tag's `data-*` attributes as settings, with one clear message for each mistake. */
import { parseShortcut, type Shortcut } from './shortcut.ts';

export interface Settings {
  /** Where the service is: the origin and folder the script came from. */
  base: string;
  site: string;
  key: string;
  theme: 'auto' | 'light' | 'dark';
  accent: string | undefined;
  position: 'right' | 'left';
  title: string | undefined;
  shortcut: Shortcut | undefined;
}

type Say = (message: string) => void;

function oneOf<Choice extends string>(
  name: string,
  value: string | undefined,
  choices: readonly [Choice, ...Choice[]],
  say: Say,
): Choice {
  const found = choices.find((choice) => choice === (value ?? choices[0]).trim().toLowerCase());
  if (!found)
    say(`data-${name}="${value}" is none of ${choices.join(', ')}; "${choices[0]}" is used.`);
  return found ?? choices[0];
}

/** `undefined` where the widget cannot start: no site or no usable key. */
export function readSettings(
  data: Readonly<Record<string, string | undefined>>,
  src: string,
  say: Say,
): Settings | undefined {
  const site = data['site']?.trim() ?? '';
  const key = data['key']?.trim() ?? '';
  if (!site) say('data-site is missing: write data-site="docs.example.com" in the script tag.');
  else if (/[/:\s?#]/.test(site)) {
    const host = site.replace(/^\w+:\/\//, '').replace(/[/?#\s].*/, '');
    say(`data-site="${site}" must be the site's domain only: write data-site="${host}".`);
    return undefined;
  }
  if (!key) say('data-key is missing: write the site\'s assistant key, data-key="svc_dsc_…".');
  else if (!key.startsWith('svc_dsc_')) {
    say(
      key.startsWith('svc_')
        ? 'data-key is an admin key, which must never be in a page. Revoke it, then use an assistant key: "svc_dsc_…".'
        : 'data-key is not an assistant key: it begins with "svc_dsc_".',
    );
    return undefined;
  }
  if (!site || !key) return undefined;

  let accent = data['accent']?.trim() || undefined;
  if (accent && !CSS.supports('color', accent)) {
    say(`data-accent="${accent}" is not a colour: write for example "#3b5bdb".`);
    accent = undefined;
  }
  const shortcutText = data['shortcut']?.trim().toLowerCase() || 'mod+i';
  const shortcut = shortcutText === 'none' ? undefined : parseShortcut(shortcutText);
  if (shortcutText !== 'none' && !shortcut) {
    say(
      `data-shortcut="${shortcutText}" is not a shortcut: write "mod+i", "ctrl+shift+k" or "none".`,
    );
  }
  return {
    base: new URL('.', src).href.replace(/\/$/, ''),
    site,
    key,
    theme: oneOf('theme', data['theme'], ['auto', 'light', 'dark'], say),
    accent,
    position: oneOf('position', data['position'], ['right', 'left'], say),
    title: data['title']?.trim() || undefined,
    shortcut,
  };
}
