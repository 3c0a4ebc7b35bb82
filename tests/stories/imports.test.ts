/**
 * A lamp, not a law: imports of the server go downhill. If it lights, turn the import round, or change
 * the table on purpose (ARCHITECTURE.md shows the same ladder).
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const source = fileURLToPath(new URL('../../server/src', import.meta.url));

/** A folder, or a file at the top, may import from its own rung and from those below it. */
const ladder: readonly (readonly string[])[] = [
  ['cli.ts', 'cli'],
  ['docent.ts'],
  ['app.ts', 'parts.ts'],
  ['mcp', 'eval', 'pages'],
  ['assistant', 'agent', 'docs/indexer', 'search', 'insight', 'openapi'],
  ['docs/sources', 'docs/web'],
  ['docs/pages'],
  ['challenge', 'checks', 'forge'],
  ['http', 'limits', 'model', 'retrieval', 'spend', 'telemetry', 'files', 'audit', 'webhooks'],
  ['sites', 'projects'],
  ['keys'],
  ['docs/generators'],
  ['git', 'docs/markdown'],
  ['config', 'store', 'network'],
  ['errors.ts', 'ids.ts', 'log.ts', 'abort.ts', 'name-some.ts'],
  ['redaction'],
];

/** Neighbours on one rung do not know each other, except these. */
const neighbours = new Set([
  'telemetry -> http',
  'cli.ts -> cli',
  'errors.ts -> log.ts',
  'spend -> limits',
  'spend -> retrieval',
  'spend -> webhooks',
  'webhooks -> audit',
  'webhooks -> http',
  'audit -> http',
  'audit -> limits',
  'webhooks -> limits',
  'docs/sources -> docs/web',
  'docs/web -> docs/sources',
]);

/** Only these know Express. */
const knowsExpress =
  /^(app\.ts|http\/.*|.*\/(v1-)?routes\.ts|limits\/.*|assistant\/begin-answer\.ts|pages\/access\.ts)$/;

const rungOf = (place: string) => ladder.findIndex((rung) => rung.includes(place));
/** The folder at the top; of `docs`, each folder in it. */
const placeOf = (file: string) => /^(?:docs\/)?[^/]+/.exec(file)?.[0] ?? '';

async function imports(): Promise<{ file: string; from: string }[]> {
  const files = (await readdir(source, { recursive: true }))
    .map((file) => file.replaceAll('\\', '/'))
    .filter(
      (file) => file.endsWith('.ts') && !/\.(test|contract)\.ts$|(^|\/)testing\.ts$/.test(file),
    );
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

async function steps() {
  const all = await imports();
  return all
    .filter(({ from }) => from.startsWith('.'))
    .map(({ file, from }) => {
      const target = normalize(join(source, dirname(file), from));
      const to = relative(source, target).replaceAll('\\', '/');
      return { file, to, step: `${file} -> ${to}`, up: placeOf(file), down: placeOf(to) };
    })
    .filter(({ up, down }) => up !== down);
}

test('every place has its rung', async () => {
  const all = await steps();
  expect(all.length).toBeGreaterThan(50);
  const places = new Set(all.flatMap(({ up, down }) => [up, down]));
  expect([...places].filter((place) => rungOf(place) < 0)).toEqual([]);
});

test('imports go downhill', async () => {
  const climbing = (await steps())
    .filter(({ up, down }) => {
      if (rungOf(down) > rungOf(up)) return false;
      return rungOf(down) < rungOf(up) || !neighbours.has(`${up} -> ${down}`);
    })
    .map(({ step }) => step);
  expect(climbing).toEqual([]);
});

test('Express stays at the edge', async () => {
  const inside = (await imports()).filter(
    ({ file, from }) =>
      /^(express|cors|express-rate-limit)$/.test(from) && !knowsExpress.test(file),
  );
  expect(inside.map(({ file, from }) => `${file} -> ${from}`)).toEqual([]);
});

test('tests and other packages come in by the front door', async () => {
  const tests = fileURLToPath(new URL('..', import.meta.url));
  const folders = ['stories', 'support'].map(async (folder) =>
    (await readdir(join(tests, folder))).map((file) => join(folder, file)),
  );
  const files = (await Promise.all(folders)).flat().filter((file) => file.endsWith('.ts'));
  expect(files.length).toBeGreaterThan(20);
  const inner: string[] = [];
  for (const file of files) {
    const text = await readFile(join(tests, file), 'utf8');
    if (/from '[^']*server\/src\//.test(text)) inner.push(file);
  }
  expect(inner).toEqual([]);
});
