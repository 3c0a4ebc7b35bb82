/** VitePress: `extends: docent({ url, site, key })` in `.vitepress/config`. */
import { attributesOf, styleOf } from './tag.js';

export default function docent(options) {
  return {
    head: [
      ['style', {}, styleOf('var(--vp-font-family-base)')],
      ['script', { ...attributesOf(options, 'var(--vp-c-brand-1)'), async: '' }],
    ],
  };
}
