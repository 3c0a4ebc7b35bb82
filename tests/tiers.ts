/**
 * What a test file costs follows from what it imports, itself or through helpers of the tests: nobody lists it.
 *
 * - `real`: processes. git, PostgreSQL, Chromium, the built server, kill -9
 * - `wire`: HTTP within the process, on SQLite
 * - `unit`: neither
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

export type Tier = 'unit' | 'wire' | 'real';

const startsProcesses = /^(node:child_process|playwright-core|@docent\/server\/testing)$/;
const speaksHttp = /^(node:https?|express|@docent\/server\/docent)$/;

/** Helpers of the tests: what the product imports says nothing about a test's cost. */
const helpers = ['tests', 'server/testing', 'demo-site/tests'].map((folder) => join(root, folder));

const imported =
  /^(?:import|export) (?!type\b)[^;']*? from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;

const known = new Map<string, Tier>();

export function tierOf(file: string): Tier {
  const found = known.get(file);
  if (found) return found;
  // Two helpers may import each other.
  known.set(file, 'unit');
  const names = [...readFileSync(file, 'utf8').matchAll(imported)].map(
    ([, ...found]) => found.find((name) => name !== undefined) ?? '',
  );
  const below = names
    .filter((name) => name.startsWith('.'))
    .map((name) => join(dirname(file), name))
    .filter(isHelper)
    .map(tierOf);
  const tier =
    names.some((name) => startsProcesses.test(name)) || below.includes('real')
      ? 'real'
      : names.some((name) => speaksHttp.test(name)) || below.includes('wire')
        ? 'wire'
        : 'unit';
  known.set(file, tier);
  return tier;
}

function isHelper(file: string): boolean {
  const isOurs =
    file.endsWith('.test.ts') || helpers.some((folder) => file.startsWith(`${folder}/`));
  return isOurs && file.endsWith('.ts') && statSync(file, { throwIfNoEntry: false }) !== undefined;
}

const folders = ['server/src', 'demo-site/tests', 'tests/stories', 'tests/browser'];

/** The files of a tier, as Vitest's `include`. Those of the widget and the dashboard draw, and are a project of their own. */
export function filesOf(tier: Tier): string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(root, folder, file),
      ),
    )
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => tierOf(file) === tier)
    .map((file) => relative(root, file).replaceAll('\\', '/'));
}
