import { describe, expect, test } from 'vitest';
import { groupQuestions } from './group-questions.ts';

const asked = [
  'How do I run Kestrel in Docker?',
  'Is there a docker image of Kestrel?',
  'kestrel docker compose example',
  'Does Kestrel have a GraphQL API?',
  'GraphQL endpoint?',
  'Which batteries fit into the remote sensor?',
  'What?',
  'Why?',
].map((text, index) => ({ id: `q${index}`, text }));

const shape = (groups: Awaited<ReturnType<typeof groupQuestions>>) =>
  groups.map((group) => group.questions.map((question) => question.id).toSorted());

test('groups questions that ask for the same, the largest group first', async () => {
  const groups = await groupQuestions(asked);
  expect(shape(groups)).toEqual([['q0', 'q1', 'q2'], ['q3', 'q4'], ['q5'], ['q6'], ['q7']]);
  expect(groups[0]?.representative.text).toMatch(/docker/i);
  expect(groups[0]?.words).toContain('docker');
  expect(groups[1]?.words).toContain('graphql');
});

test('the same questions give the same groups, in whatever order they came', async () => {
  const there = shape(await groupQuestions(asked))
    .map(String)
    .toSorted();
  const back = shape(await groupQuestions(asked.toReversed()))
    .map(String)
    .toSorted();
  expect(back).toEqual(there);
});

test('every question is in one group', async () => {
  const many = Array.from({ length: 300 }, (_, index) => ({
    id: String(index),
    text: `${['install', 'remove', 'update'][index % 3]} ${['sensor', 'station'][index % 2]} ${index % 7}`,
  }));
  const groups = await groupQuestions(many);
  const ids = groups.flatMap((group) => group.questions.map(({ id }) => id));
  expect(ids.toSorted()).toEqual(many.map(({ id }) => id).toSorted());
});

test('of a long text, the rarest words count', async () => {
  const word = (at: number) =>
    at.toString(20).replaceAll(/./g, (digit) => `${'bcdfghjklmnpqrstvwxz'[parseInt(digit, 20)]}a`);
  const long = Array.from({ length: 400 }, (_, question) => ({
    id: String(question),
    text: Array.from({ length: 1_000 }, (_, at) =>
      word(at < 500 ? at + 8_000 : at * 500 + question),
    ).join(' '),
  }));
  const groups = await groupQuestions([...long, ...asked]);
  expect(shape(groups).map(String)).toContain('q0,q1,q2');
});

describe('limits of a question', () => {
  /** Letters only, because the search cuts other words. */
  const word = (name: string, at: number) =>
    `${name}${String(at)
      .split('')
      .map((digit) => 'bcdfghjklm'[Number(digit)])
      .join('a')}a`;
  const words = (name: string, count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => word(name, from + at)).join(' ');
  const ask = (texts: string[]) =>
    groupQuestions(texts.map((text, at) => ({ id: String(at).padStart(3, '0'), text })));
  const together = (groups: Awaited<ReturnType<typeof ask>>, ...ids: string[]) =>
    groups.some(({ questions }) => ids.every((id) => questions.some((one) => one.id === id)));

  test('of two long ones on one subject, its few rare words count', async () => {
    // What everybody writes, in two halves, so that only the subject is common to the first two.
    const common = Array.from({ length: 60 }, (_, at) =>
      words('common', 100, at % 2 === 0 ? 0 : 100),
    );
    const subject = words('subject', 8);
    const groups = await ask([
      `${subject} ${words('common', 100)}`,
      `${words('common', 100, 100)} ${subject}`,
      ...common,
    ]);
    expect(together(groups, '000', '001')).toBe(true);
    expect(together(groups, '000', '002')).toBe(false);
  });

  test('it is compared with fifty groups, those with its rarest word first', async () => {
    const asked = (others: number) =>
      ask([
        ...Array.from({ length: others }, (_, at) => `hub ${words(word('other', at), 10)}`),
        ...Array.from({ length: 70 }, () => words('subject', 3)),
        `hub ${words('subject', 3)}`,
      ]);
    const last = (others: number) => String(others + 70).padStart(3, '0');
    expect(together(await asked(40), '040', last(40))).toBe(true);
    expect(together(await asked(60), '060', last(60))).toBe(false);
  });

  test('what comes after 2,000 characters does not count', async () => {
    const late = (characters: number) => `${'the '.repeat(characters / 4)}${words('subject', 6)}`;
    const groups = await ask([words('subject', 6), late(1_600), late(2_400)]);
    expect([together(groups, '000', '001'), together(groups, '000', '002')]).toEqual([true, false]);
  });
});

test('without questions, there are no groups', async () => {
  expect(await groupQuestions([])).toEqual([]);
});

test('questions stay where a person put them, and similar ones join them', async () => {
  const questions = [
    { id: '1', text: 'How do I export invoices as PDF?', group: 'A' },
    { id: '2', text: 'Can I export invoices to Excel?', group: 'B' },
    { id: '3', text: 'Export invoices as a PDF file' },
    { id: '4', text: 'Excel export of invoices' },
    // Merged, although they share no word.
    { id: '5', text: 'Where is the dark theme?', group: 'A' },
  ];
  const groups = await groupQuestions(questions);
  const byGroup = new Map(groups.map((one) => [one.group, one.questions.map(({ id }) => id)]));
  expect(byGroup).toEqual(
    new Map([
      ['A', ['1', '3', '5']],
      ['B', ['2', '4']],
    ]),
  );
});
