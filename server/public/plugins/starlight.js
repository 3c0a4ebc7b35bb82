/** Starlight: `plugins: [docent({ url, site, key })]` in its options. */
import { attributesOf, styleOf } from './tag.js';

export default function docent(options) {
  const attrs = { ...attributesOf(options, 'var(--sl-color-accent)'), async: true };
  const head = [
    { tag: 'style', content: styleOf('var(--__sl-font, var(--sl-font))') },
    { tag: 'script', attrs },
  ];
  return {
    name: 'docent',
    hooks: {
      'config:setup': ({ config, updateConfig }) =>
        updateConfig({ head: [...(config.head ?? []), ...head] }),
    },
  };
}
