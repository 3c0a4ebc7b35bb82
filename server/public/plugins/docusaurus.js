/** Docusaurus: `plugins: [['docent/docusaurus', { url, site, key }]]`. */
import { attributesOf, styleOf } from './tag.js';

export default function docent(_context, { id: _id, ...options }) {
  const attributes = { ...attributesOf(options, 'var(--ifm-color-primary)'), async: true };
  const style = styleOf('var(--ifm-font-family-base)');
  return {
    name: 'docent',
    injectHtmlTags: () => ({
      headTags: [
        { tagName: 'style', innerHTML: style },
        { tagName: 'script', attributes },
      ],
    }),
  };
}
