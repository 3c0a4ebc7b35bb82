/** Docusaurus: `plugins: [['docent/docusaurus', { url, site, key }]]`. */
import { attributesOf } from './tag.js';

export default function docent(_context, { id: _id, ...options }) {
  const attributes = { ...attributesOf(options), async: true };
  return {
    name: 'docent',
    injectHtmlTags: () => ({ headTags: [{ tagName: 'script', attributes }] }),
  };
}
