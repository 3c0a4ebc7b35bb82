/** The pages that the engines' contract suites search. */
import type { Page, Passage } from '../src/retrieval/retriever.ts';

/** A page with one heading per passage. */
export function page(path: string, title: string, texts: string[], code = ''): Page {
  const passages = texts.map((text, number): Passage => {
    const heading = number === 0 ? title : `${title} ${number}`;
    return {
      anchor: number === 0 ? '' : `part-${number}`,
      heading,
      headingPath: [],
      markdown: text,
      text,
      code,
    };
  });
  return { path, title, markdown: texts.join('\n\n'), hash: `hash of ${path}`, passages };
}

export const handbook: Page[] = [
  page(
    '/install',
    'Install the widget',
    ['Put the script tag into every page of the site.', 'The panel opens when a reader asks.'],
    '<script src="docent.js" async></script>',
  ),
  {
    ...page(
      '/keys',
      'Keys',
      ['Every request carries a key.', 'To rotate a key, create another one and revoke the first.'],
      'keys.rotateKey()',
    ),
    description: 'Create and revoke them.',
    version: 'v1',
    language: 'en',
    tags: ['admin'],
  },
  page('/limits', 'Limits', [
    'Requests are counted by the hour and the month.',
    'Above the limit the answer is 429.',
  ]),
];
