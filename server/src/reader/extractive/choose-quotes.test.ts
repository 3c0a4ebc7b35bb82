import { expect, test } from 'vitest';
import { chooseQuotes } from './extractive-model.ts';

const passages = [
  {
    number: '1',
    title: 'Keys › Revoke a key',
    markdown:
      'Keys protect your budget.\n\nRevoke a key with the command line:\n\n```sh\ndocent keys revoke 01J\n```\n\nIt stops within a second.',
  },
  {
    number: '2',
    title: 'Keys › Create a key',
    markdown: 'Create a key with `docent keys create`.',
  },
  { number: '3', title: 'Weather', markdown: 'The weather is nice today.' },
];

test('quotes a short section that answers in full', () => {
  const [first] = chooseQuotes('How do I revoke a key?', passages);
  expect(first).toEqual(passages[0]);
});

test('quotes the part of a long section that answers, with the code below it', () => {
  const filler = 'Something else is said here. '.repeat(40);
  const long = { ...passages[0]!, markdown: `${filler}\n\n${passages[0]!.markdown}\n\n${filler}` };
  const [first] = chooseQuotes('How do I revoke a key?', [long, ...passages.slice(1)]);
  expect(first?.markdown).toBe(
    'Revoke a key with the command line:\n\n```sh\ndocent keys revoke 01J\n```',
  );
});

test('quotes word for word, and nothing unrelated', () => {
  for (const quote of chooseQuotes('How do I revoke a key?', passages)) {
    const source = passages.find(({ number }) => number === quote.number)?.markdown;
    for (const piece of quote.markdown.split('\n\n')) expect(source).toContain(piece);
    expect(quote.number).not.toBe('3');
  }
});

test('quotes a part of a long paragraph', () => {
  const filler = 'This sentence speaks of something else entirely. '.repeat(20);
  const markdown = `${filler}The retention period is thirty days. ${filler}`;
  const [quote] = chooseQuotes('retention period?', [{ number: '1', title: 'Data', markdown }]);
  expect(quote?.markdown).toContain('The retention period is thirty days.');
  expect(quote?.markdown.length).toBeLessThan(250);
});

test('quotes the rows of a table that answer, not the settings beside them', () => {
  const rows = ['steps', 'tokens', 'dollars'].map((name) => `| ${name} | Counts ${name} |`);
  const table = ['| Limit | Meaning |', '| --- | --- |', ...rows].join('\n');
  const markdown = `These stop a run:\n\n${table}`;
  const [quote] = chooseQuotes('Which limit counts dollars?', [
    { number: '1', title: 'Limits', markdown },
  ]);
  expect(quote?.markdown).toBe('| Limit | Meaning |\n| --- | --- |\n| dollars | Counts dollars |');
});

test('quotes prose rather than a table with the same word', () => {
  const [quote] = chooseQuotes('What does it cost?', [
    {
      number: '1',
      title: 'Settings',
      markdown:
        '| Setting | Use |\n| --- | --- |\n| price | The cost |\n\nThe cost is five dollars.',
    },
  ]);
  expect(quote?.markdown).toBe('The cost is five dollars.');
});

test('the first quote follows the order of the search', () => {
  const repeated = 'Revoke a key. Keys are revoked so that a revoked key stops.';
  const quotes = chooseQuotes('How do I stop a key that leaked?', [
    { number: '1', title: 'Leaks', markdown: 'If a key leaked, make a new one.' },
    { number: '2', title: 'Keys', markdown: `${repeated} Stop a key that leaked.` },
  ]);
  expect(quotes.map(({ number }) => number)).toEqual(['1', '2']);
});

test('without passages, it quotes nothing', () => {
  expect(chooseQuotes('How?', [])).toEqual([]);
  expect(chooseQuotes('quantum chromodynamics', [passages[2]!])).toEqual([]);
});
