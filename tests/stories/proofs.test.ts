/** Every test and benchmark that `tests/PROOFS.md` names exists. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}tests/PROOFS.md`, 'utf8');
const rows = [
  ...page.matchAll(/^\| ([ABWDSHMLKPOU]\d+) \| ([^|]+) \| ([^|]+) \|(?: ([^|]+) \|)?[^|]*\|$/gm),
];

const goals = (letter: string, length: number) =>
  Array.from({ length }, (_, index) => `${letter}${index + 1}`);

test('every goal of the assistant, the agent, the widget, and the dashboard, every hostile input, and every shared mechanism has a row', () => {
  expect(rows.map(([, id]) => id)).toEqual([
    ...goals('A', 33),
    ...goals('M', 6),
    ...goals('B', 27),
    'P1',
    'P2',
    'P3',
    ...goals('W', 40),
    ...goals('D', 29),
    ...goals('L', 5),
    'O1',
    'O2',
    'O3',
    ...goals('U', 7),
    'S1',
    'S1',
    'S2',
    'S2',
    'S3',
    'S4',
    'S5',
    'S5',
    'S6',
    'S7',
    'S8',
    'L7',
    'L8',
    'L9',
    'L10',
    'L11',
    ...goals('H', 15),
    ...goals('K', 5),
  ]);
});

// Those of the agent, too, once somebody has broken them.
test('every other row names the break that turns it red', () => {
  const without = rows.filter(([, id, , , red]) => !id?.startsWith('B') && !red?.trim());
  expect(without.map(([, id]) => id)).toEqual([]);
});

test.each(rows.map(([, id, , proof]) => [id, proof] as const))('%s has its proof', (_id, proof) => {
  const files = [...(proof ?? '').matchAll(/`([^`]+)`/g)].map(([, file]) => file ?? '');
  expect(files).not.toEqual([]);
  for (const file of files) expect(existsSync(root + file), file).toBe(true);
});
