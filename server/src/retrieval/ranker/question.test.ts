import { expect, test } from 'vitest';
import { page } from '../../../testing/contract-pages.ts';
import { buildIndex, countPassages } from './index-builder.ts';
import { createPageAnalyzer } from './page-terms.ts';
import { planQuestion } from './question.ts';

const letters = 'abcdefghij';
const words = Array.from(
  { length: 100 },
  (_, number) => `kestrel${letters[Math.floor(number / 10)]}${letters[number % 10]}z`,
);

function indexOf(texts: string[]) {
  const analyzer = createPageAnalyzer();
  const pages = texts.map((text, number) =>
    analyzer.analyze(page(`/p${number}`, `Page ${number}`, [text])),
  );
  const limits = countPassages(pages, analyzer.termCount());
  const steps = buildIndex({ analyzer, pages, limits });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

test('a long question with a long selection searches a limited number of words', () => {
  const index = indexOf([words.join(' '), words.join(' ')]);
  const text = words.join(' ');
  const { terms } = planQuestion(index, { text, context: [text] });
  expect(terms.length).toBeGreaterThan(40);
  expect(terms.length).toBeLessThanOrEqual(60);
});

test('corrects only the first of many misspelled words', () => {
  const index = indexOf([words.join(' '), words.join(' ')]);
  const text = words
    .slice(0, 40)
    .map((word) => `${word.slice(0, -1)}q`)
    .join(' ');
  const { terms } = planQuestion(index, { text });
  expect(terms.filter(({ term }) => term >= 0)).toHaveLength(8);
});
