/**
 * Detects imports that climb. A group of folders may import from the levels below its own, and the two
 * features of one level don't know each other. `ARCHITECTURE.md` shows the same levels.
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../server/src', import.meta.url));

/** The levels of the server, top down. */
const levels: readonly (readonly string[])[] = [
  [
    'main.ts',
    'start.ts',
    'worker.ts',
    'compose.ts',
    'endpoints.ts',
    'housekeeping.ts',
    'open-services.ts',
    'open-store.ts',
    'app.ts',
    'cli',
    'owner',
  ],
  ['reader', 'agent'],
  ['docs', 'retrieval'],
  ['accounts', 'budgets'],
  ['notify'],
  ['platform'],
];
/** Groups that share a level with one that they build on: the top wires itself, and pages go to the index. */
const within = (from: string, to: string) =>
  levels[0]?.includes(from) === true || (from === 'docs' && to === 'retrieval');

/** Only these know Express: the app, routes, and the middleware that they share. */
const knowsExpress =
  /^(app\.ts|accounts\/require-(access|key)\.ts|accounts\/people\/session-cookie\.ts|platform\/(http|limits)\/.*|.*\/([\w-]+-)?routes\.ts|accounts\/people\/sign-in\.ts|agent\/pages\/access\.ts|reader\/ask\/(ask|question-limits)\.ts)$/;

const levelOf = (group: string) => levels.findIndex((level) => level.includes(group));
const groupOf = (file: string) => file.split('/')[0] ?? '';

async function imports(): Promise<{ file: string; from: string }[]> {
  const files = (await readdir(source, { recursive: true }))
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(source, file), 'utf8');
      return [...text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'/gm)].map(([, from]) => ({
        file,
        from: from ?? '',
      }));
    }),
  );
  return found.flat();
}

/** Imports from one group to another. */
async function crossings() {
  const all = await imports();
  return all
    .filter(({ from }) => from.startsWith('.'))
    .map(({ file, from }) => {
      const target = normalize(join(source, dirname(file), from));
      const to = relative(source, target).replaceAll('\\', '/');
      return { text: `${file} -> ${to}`, from: groupOf(file), to: groupOf(to) };
    })
    .filter(({ from, to }) => from !== to);
}

test('every group has a level', async () => {
  const all = await crossings();
  expect(all.length).toBeGreaterThan(50);
  const groups = new Set(all.flatMap(({ from, to }) => [from, to]));
  expect([...groups].filter((group) => levelOf(group) < 0)).toEqual([]);
});

test('no import climbs', async () => {
  const climbing = (await crossings()).filter(
    ({ from, to }) => levelOf(to) <= levelOf(from) && !within(from, to),
  );
  expect(climbing.map(({ text }) => text)).toEqual([]);
});

test('the feature that declares a table writes it, and no other does', async () => {
  const files = (await readdir(source, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  const homes = new Map<string, string>();
  const writes: { table: string; file: string }[] = [];
  for (const file of files) {
    const text = await readFile(join(source, file), 'utf8');
    if (/(^|[/\\])tables\.ts$/.test(file)) {
      for (const [, table = ''] of text.matchAll(/^  (\w+): \{$/gm))
        homes.set(table, groupOf(file));
    }
    for (const [, table = ''] of text.matchAll(/(?:insertInto|updateTable|deleteFrom)\('(\w+)'/g)) {
      writes.push({ table, file: file.replaceAll('\\', '/') });
    }
  }
  expect(homes.size).toBeGreaterThan(40);
  expect(new Set(writes.map(({ table }) => table)).size).toBeGreaterThan(30);
  const foreign = writes.filter(({ table, file }) => homes.get(table) !== groupOf(file));
  expect(foreign.map(({ table, file }) => `${file} -> ${table}`)).toEqual([]);
});

test('Express stays at the edge', async () => {
  const inside = (await imports()).filter(
    ({ file, from }) =>
      /^(express|cors|express-rate-limit)$/.test(from) && !knowsExpress.test(file),
  );
  expect(inside.map(({ file, from }) => `${file} -> ${from}`)).toEqual([]);
});

test('other packages and the stories import what the server exports', async () => {
  const tests = fileURLToPath(new URL('..', import.meta.url));
  const folders = ['stories', 'support'].map(async (folder) =>
    (await readdir(join(tests, folder))).map((file) => join(folder, file)),
  );
  const files = (await Promise.all(folders)).flat().filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(20);
  const inner: string[] = [];
  for (const file of files) {
    const text = await readFile(join(tests, file), 'utf8');
    // It calls each function that reads foreign text by itself.
    if (file === join('support', 'foreign-text.ts')) continue;
    if (/from '[^']*server\/src\//.test(text)) inner.push(file);
  }
  expect(inner).toEqual([]);
});
