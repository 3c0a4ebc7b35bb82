import { describe, expect, test } from 'vitest';
import { claimAt, claimOf } from './claim.ts';
import { findWords } from './find-words.ts';
import { readText } from './page-text.ts';
import { atOnce } from './slices.ts';

const page = `Uninstall
Run kestrel-setup remove — it asks once.  The “readings” that were already sent
stay on the server. Nothing else is kept.
Another section about the weather.
`;
const found = (quote: string, claim: string, isSection = true, text = page) =>
  findWords(text, { quote, claim }, isSection).map(({ start, end }) => text.slice(start, end));

describe('the cited words', () => {
  const quote =
    'Run kestrel-setup remove - it asks once. The "readings" that were already sent stay on the server.';

  test('are the sentence that supports the claim, in any typography', () => {
    expect(found(quote, 'Sent readings stay on the server.')).toEqual([
      'The “readings” that were already sent\nstay on the server.',
    ]);
    expect(found(quote, 'Run `kestrel-setup remove`.')).toEqual([
      'Run kestrel-setup remove — it asks once.',
    ]);
  });
  test('are two sentences if both support the claim', () => {
    expect(
      found(quote, 'Run kestrel-setup remove; readings sent stay on the server.'),
    ).toHaveLength(2);
  });
  test("are in the section if the quotation doesn't support the claim", () => {
    expect(found(quote, 'Nothing else is kept.')).toEqual(['Nothing else is kept.']);
    expect(found(quote, 'Nothing else is kept.', false)).toEqual([
      'Run kestrel-setup remove — it asks once.',
    ]);
  });
  test('are the beginning of the quotation if the answer is in another language', () => {
    expect(found(quote, 'Führen Sie es aus.')).toEqual([
      'Run kestrel-setup remove — it asks once.',
    ]);
  });
  test('are none if the page has changed', () => {
    expect(found('Something that is no longer there.', 'Quite unlike.')).toEqual([]);
    expect(found('', 'Quite unlike.')).toEqual([]);
    expect(found(quote, '', true, '')).toEqual([]);
  });
  test('may be of a script without spaces', () => {
    const text = '安装后运行程序。数据保存在服务器上。\n';
    expect(found('数据保存在服务器上。', '数据', true, text)).toEqual(['数据保存在服务器上。']);
  });
});

describe('what an answer claims', () => {
  test.each([
    ['One thing [1]. Another [2].', '2', 'Another .'],
    ['One thing. [1] Another. [2]', '1', 'One thing .'],
    ['- first [1]\n- second [2, 3]', '3', '- second'],
    ['No numbers at all.', '1', 'No numbers at all.'],
  ])('%j with [%s]', (answer, id, claim) => {
    expect(claimOf(answer, id)).toBe(claim);
  });
  test('of a citation is the sentence before it', () => {
    const block = document.createElement('p');
    block.innerHTML =
      'First this. <a class="cite">1</a> Then <b>that</b> happens. <a class="cite" id="two">2</a> Last.';
    const [, two] = block.querySelectorAll('a');
    expect(two && claimAt(two)).toBe('Then that happens.');
  });
});

test('the text of a section ends where the next begins, and leads back to its nodes', () => {
  document.body.innerHTML =
    '<p>Before</p><h2 id="a">One</h2><div><p>Words <b>in</b> it</p><button>Copy</button></div><h2 id="b">Two</h2><p>After</p>';
  const [first, second] = document.querySelectorAll('h2');
  const section = { from: first, until: second, maxCharacters: 1000 };
  const { text, range } = atOnce(readText(document.body, section));
  expect(text.trim()).toBe('One\nWords in it');
  const start = text.indexOf('Words');
  expect(String(range(start, start + 11))).toBe('Words in it');
  document.body.replaceChildren();
});
