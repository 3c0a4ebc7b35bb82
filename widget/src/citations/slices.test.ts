import { afterEach, expect, test } from 'vitest';
import { searchWords } from './find-words.ts';
import { readText } from './page-text.ts';
import { atOnce, inSlices, type Work } from './slices.ts';

afterEach(() => document.body.replaceChildren());

/** How often work may be interrupted, and what comes of it. */
function count<Result>(work: Work<Result>): { pauses: number; result: Result } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = work.next();
    if (done) return { pauses, result: value };
  }
}

/** A quarter of a megabyte, as a changelog or a reference on one page. */
function fillPage(): void {
  const words = 'Kestrel measures the wind every three seconds, and keeps it for a year. ';
  for (let at = 0; at < 100; at++) {
    const [heading, text] = [document.createElement('h2'), document.createElement('p')];
    heading.textContent = `Section ${at}`;
    text.textContent = words.repeat(34) + `Number ${at}.`;
    document.body.append(heading, text);
  }
}

test('a very long page is read in many small steps, a section of it in few', () => {
  fillPage();
  const page = count(readText(document.body, { maxCharacters: 2_000_000 }));
  expect(page.result.text.length).toBeGreaterThan(240_000);
  expect(page.pauses).toBeGreaterThan(1);
  const cited = { quote: 'Number 99.', claim: 'It is number 99.' };
  const found = count(searchWords(page.result.text, cited, false));
  expect(found.pauses).toBeGreaterThan(30);
  expect(found.result.map(({ start, end }) => page.result.text.slice(start, end))).toEqual([
    'Number 99.',
  ]);

  const [from, until] = [...document.querySelectorAll('h2')].slice(98);
  const section = count(readText(document.body, { from, until, maxCharacters: 60_000 }));
  expect(section.result.text).toMatch(/^Section 98\n[^]+Number 98\.\n$/);
  expect(section.pauses).toBe(0);
});

test('reading stops at the limit', () => {
  fillPage();
  const { text } = atOnce(readText(document.body, { maxCharacters: 10_000 }));
  expect(text.length).toBeLessThan(13_000);
});

test('work in slices gives its result, its failure, or nothing once its page has gone', async () => {
  function* work(fails = false): Work<string> {
    for (let at = 0; at < 5; at++) yield;
    if (fails) throw new Error('a strange page');
    return 'done';
  }
  const page = new AbortController();
  expect(await inSlices(work(), page.signal)).toMatchObject({ result: 'done' });
  await expect(inSlices(work(true), page.signal)).rejects.toThrow('a strange page');
  const going = inSlices(work(), page.signal);
  page.abort();
  expect(await going).toBeUndefined();
});
