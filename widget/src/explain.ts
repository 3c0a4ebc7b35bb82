/** What the owner of a site should write instead. Loaded only where something in the tag is wrong. */
import type { Explain } from './panel-contract.ts';
import { layouts, positions, themes } from './settings.ts';
import { warn } from './warn.ts';

function sentence(name: string, value: string | undefined): string {
  const written = `data-${name}="${value}"`;
  switch (name) {
    case 'site': {
      if (!value) return 'data-site is missing: write data-site="docs.example.com".';
      const host = value.replace(/^\w+:\/\//, '').replace(/[/?#\s].*/, '');
      return `${written} must be the domain only: write data-site="${host}".`;
    }
    case 'key':
      if (!value)
        return 'data-key is missing: write the site’s assistant key, data-key="svc_dsc_…".';
      return value.startsWith('svc_')
        ? 'data-key is an admin key, which must never be in a page: revoke it, then write an assistant key, data-key="svc_dsc_…".'
        : 'data-key is not an assistant key: write one that begins with "svc_dsc_".';
    case 'theme':
      return `${written} is unknown: write one of ${themes.join(', ')}. "auto" is used.`;
    case 'position':
      return `${written} is unknown: write one of ${positions.join(', ')}. "right" is used.`;
    case 'layout':
      return `${written} is unknown: write one of ${layouts.join(', ')}. "bubble" is used.`;
    case 'accent':
      return `${written} is not a colour: write for example data-accent="#3451d1".`;
    default:
      return `${written} is not a shortcut: write "mod+i", "ctrl+shift+k" or "none". "mod+i" is used.`;
  }
}

/** `wrong`: names of attributes, as `readSettings` lists them, and of those that are missing. */
export const explain: Explain = (data, wrong) => {
  for (const name of wrong) warn(sentence(name, data[name]?.trim()));
};
