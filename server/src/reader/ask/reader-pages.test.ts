import { expect, test } from 'vitest';
import { page } from '../../../testing/contract-pages.ts';
import {
  type FoundPage,
  type Page,
  type SearchResult,
  toFoundPage,
} from '../../retrieval/retriever.ts';
import { arrange, bestSections, findReaderPages } from './reader-pages.ts';

const guide = {
  ...page('/guide', 'Guide', [
    'Where to begin.',
    'Set the timeout of the client.',
    'Retry a request that fails.',
    'Close the client when you are done.',
  ]),
  description: 'All about the client.',
};
const other = page('/other', 'Other', ['Another subject.', 'The timeout of something else.']);

const retriever = {
  page: async (_domain: string, path: string): Promise<Page | undefined> =>
    [guide, other].find((one) => one.path === path),
};

function found(confidence: number, ...pages: Page[]): SearchResult {
  const passages = pages.map(({ passages: [first] }) => (first ? [{ ...first, score: 1 }] : []));
  return { pages: pages.map((one, at) => toFoundPage(one, 1, passages[at] ?? [])), confidence };
}

interface Asked {
  text: string;
  currentPath?: string;
  context?: { value: string; path?: string; elementId?: string }[];
  history?: string[];
  baseUrl?: string;
}

async function ask(asked: Asked, result: SearchResult) {
  const { text, currentPath = '/guide', history = [], baseUrl } = asked;
  const context = (asked.context ?? []).map(({ value, path, elementId }) => {
    return { type: 'textSelection' as const, value, path, elementId };
  });
  const question = { text, currentPath, context, filter: undefined };
  const site = { domain: 'docs', docs: { baseUrl } };
  const pages = await findReaderPages(question, history, site, retriever);
  const arranged = arrange(question, pages, result);
  const places = arranged.pages.map(
    ({ path, passages }) => `${path} ${passages.map(({ anchor }) => anchor || 'top').join(' ')}`,
  );
  return { ...arranged, places, first: arranged.pages[0]?.passages[0] };
}

test('a question about the page gets it from its beginning, with the description', async () => {
  const { places, first, ahead, confidence } = await ask(
    { text: 'Explain this page' },
    found(0, other),
  );
  expect(places).toEqual(['/guide top part-1 part-2 part-3', '/other top']);
  expect(first?.markdown).toBe('All about the client.\n\nWhere to begin.');
  expect(ahead).toEqual({ passages: 4, isMeant: true, isWhole: true });
  expect(confidence).toBeGreaterThanOrEqual(0.4);
});

test('a question about something on the page gets the passage with its words first', async () => {
  const { places, ahead } = await ask(
    { text: 'On this page, how do I retry a request?' },
    found(0.9, other, guide),
  );
  expect(places[0]).toMatch(/^\/guide part-2/);
  expect(ahead).toMatchObject({ isMeant: true, isWhole: false });
});

test('a selection comes first with what is around it', async () => {
  const context = [{ value: 'Retry a request' }];
  const { places, ahead } = await ask({ text: 'What is this?', context }, found(0.9, other));
  expect(places[0]).toBe('/guide part-2 part-3 part-1 top');
  expect(ahead).toEqual({ passages: 1, isMeant: true, isWhole: true });
});

test('a selection that is not in the index is found by its anchor, on its own page', async () => {
  const context = [{ value: 'included code', elementId: 'part-1', path: '/other/' }];
  const { places } = await ask({ text: 'What is this?', context }, found(0.9, guide));
  expect(places[0]).toBe('/other part-1 top');
  expect(places[1]).toMatch(/^\/guide/);
});

test('a selection comes first before a question that stands alone, too', async () => {
  const context = [{ value: 'Retry a request that fails' }];
  const { places, ahead } = await ask(
    { text: 'Which subject is there?', context },
    found(0.9, other),
  );
  expect(places).toEqual(['/guide part-2 part-3 part-1', '/other top']);
  expect(ahead).toEqual({ passages: 3, isMeant: false, isWhole: false });
});

test('a question about something else ends with one passage of the page', async () => {
  const text = 'Which timeout does something else have?';
  expect((await ask({ text }, found(0.9, other))).places).toEqual(['/other top', '/guide part-1']);
  // A page that was found, or that has none of the words, isn't added.
  expect((await ask({ text }, found(0.9, other, guide))).places).toEqual([
    '/other top',
    '/guide top',
  ]);
  expect((await ask({ text: 'Which subject?' }, found(0.9, other))).places).toEqual(['/other top']);
});

test('a question that finds little elsewhere gets the page first, but is not about it', async () => {
  const { places, ahead, confidence } = await ask(
    { text: 'Retry requests of which kestrel?' },
    found(0.2, other),
  );
  expect(places[0]).toMatch(/^\/guide part-2/);
  expect(ahead).toEqual({ passages: 3, isMeant: false, isWhole: false });
  expect(confidence).toBe(0.2);
});

test('in a conversation, only a page that is named counts', async () => {
  const history = ['Which subject is there?'];
  expect((await ask({ text: 'Why is this?', history }, found(0.9, other))).places[0]).toBe(
    '/other top',
  );
  expect((await ask({ text: 'Explain this page', history }, found(0.9, other))).places[0]).toMatch(
    /^\/guide/,
  );
});

test.each([
  ['/docs/guide/', 'https://x.test/docs'],
  ['/docs/guide.html?v=2#part-1', 'https://x.test/docs/'],
  ['https://preview.test/docs/guide/index.html', 'https://x.test/docs'],
  ['/docs/#/guide?id=part-1', 'https://x.test/docs/#'],
  ['/#!/guide', undefined],
  ['guide', undefined],
])('the page is found at %s of a site at %s', async (currentPath, baseUrl) => {
  const asked = { text: 'Explain this', currentPath, ...(baseUrl && { baseUrl }) };
  expect((await ask(asked, found(0, other))).places[0]).toMatch(/^\/guide/);
});

test('without the page, what was found stays as it is', async () => {
  const result = found(0.3, other);
  expect(await ask({ text: 'Explain this', currentPath: '/nowhere' }, result)).toMatchObject(
    result,
  );
});

test('a selection and words are found at the end of a very long page', async () => {
  const filler = Array.from({ length: 300 }, (_, number) =>
    `Entry ${number} of the log. `.repeat(20),
  );
  const long = page('/guide', 'Log', [...filler, 'The kestrel moulted in autumn.', 'The end.']);
  const text = 'What happened to the kestrel on this page?';
  const question = { text, currentPath: '/guide', filter: undefined };
  const on = async (context: Parameters<typeof arrange>[0]['context']) => {
    const given = { ...question, context };
    const site = { domain: 'docs', docs: {} };
    const pages = await findReaderPages(given, [], site, { page: async () => long });
    return arrange(given, pages, found(0.9, other)).pages[0]?.passages[0]?.markdown;
  };
  expect(await on([])).toBe('The kestrel moulted in autumn.');
  const selection = { type: 'textSelection' as const, path: undefined, elementId: undefined };
  expect(await on([{ ...selection, value: 'kestrel moulted' }])).toBe(
    'The kestrel moulted in autumn.',
  );
  expect(await on([{ ...selection, value: 'unknown', elementId: 'part-301' }])).toBe('The end.');
});

test('as many sections as a question may use, the best of all pages', () => {
  const pages = Array.from(
    { length: 50 },
    (_, page) =>
      ({
        path: `/${page}`,
        score: 50 - page,
        passages: ['a', 'b'].map((anchor, at) => ({ anchor, score: 2 - at })),
      }) as unknown as FoundPage,
  );
  const countOf = (most: number) =>
    bestSections(pages, most).reduce((sum, { passages }) => sum + passages.length, 0);
  expect([5, 10, 12, 50].map(countOf)).toEqual([5, 10, 12, 50]);
  expect(bestSections(pages, 3).map(({ path }) => path)).toEqual(['/0', '/1', '/2']);
});
