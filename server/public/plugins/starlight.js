/** Starlight: `plugins: [docent({ url, site, key })]` in its options. */
import { attributesOf } from './tag.js';

export default function docent(options) {
  const script = { tag: 'script', attrs: { ...attributesOf(options), async: true } };
  return {
    name: 'docent',
    hooks: {
      'config:setup': ({ config, updateConfig }) =>
        updateConfig({ head: [...(config.head ?? []), script] }),
    },
  };
}
