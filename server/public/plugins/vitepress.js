/** VitePress: `extends: docent({ url, site, key })` in `.vitepress/config`. */
import { attributesOf } from './tag.js';

export default function docent(options) {
  return { head: [['script', { ...attributesOf(options), async: '' }]] };
}
