/**
 * What strangers write takes steps in proportion to its length. Steps are counted, not timed: each text is read once
 * as it is and once at twice its length.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseSync } from 'vite';
import { foreignText } from '../support/foreign-text.ts';
import type { Limits, Measured } from '../support/measure-foreign-text.ts';

const source = fileURLToPath(new URL('../../server/src', import.meta.url));
const entry = new URL('../support/measure-foreign-text.ts', import.meta.url);

const limits: Limits = {
  /** Long enough for what grows with the square of the length to show. */
  length: 2_000,
  /** Sorting takes a little more than twice the steps. */
  mostTimes: 2.4,
  allowance: 2_000,
};

/** Reads texts in threads of their own, because counting replaces methods of the language. */
function measure(names: readonly string[]): Promise<Measured[]> {
  const found: Measured[] = [];
  const worker = new Worker(entry, { workerData: { names, ...limits } });
  return new Promise((resolve, reject) => {
    worker.on('message', (one: Measured) => void found.push(one));
    worker.on('error', reject);
    worker.on('exit', () => resolve(found));
  });
}

const measured = new Map<string, Measured>();
beforeAll(async () => {
  const threads = Math.min(2, availableParallelism());
  const parts = Array.from({ length: threads }, (_, part) =>
    foreignText.filter((_one, index) => index % threads === part).map(({ name }) => name),
  );
  for (const one of (await Promise.all(parts.map(measure))).flat()) measured.set(one.name, one);
}, 600_000);

describe('twice the text takes at most twice the steps', () => {
  test.each(foreignText.map(({ name, harmless = {} }) => [name, harmless] as const))(
    '%s',
    (name, harmless) => {
      const { steps = {} } = measured.get(name) ?? {};
      expect(Object.keys(steps)).not.toEqual([]);
      const slow = Object.entries(steps).filter(
        ([, [once, twice]]) => twice > limits.mostTimes * once + limits.allowance,
      );
      expect(
        slow.map(([shape]) => shape),
        JSON.stringify(slow),
      ).toEqual(Object.keys(harmless));
    },
  );
});

/** What reads foreign text. */
const places = [
  'docs/generators',
  'docs/includes',
  'docs/markdown',
  'docs/pages',
  'docs/sources',
  'docs/web',
  'reader/ask',
  'reader/extractive',
  'reader/output-filter',
  'reader/words',
  'agent/checks',
  'agent/commands',
  'agent/publish',
  'agent/talk',
  'agent/workspace',
  'platform/redaction',
  'platform/text.ts',
  'platform/yaml.ts',
];

/** Functions of these places that get text, by what makes them harmless. */
const others: Readonly<Record<string, readonly string[]>> = {
  'a name, a path, or an address, whose length is limited': [
    'docs/generators/languages.ts languageTag',
    'docs/generators/languages.ts splitSuffix',
    'docs/generators/languages.ts createLanguages',
    'docs/generators/layout.ts withOwnerSettings',
    'docs/generators/layout.ts describeLayout',
    'docs/generators/paths.ts pathOfSlug',
    'docs/includes/include-files.ts refusalOf',
    'docs/sources/built-from.ts openBuiltFrom',
    'docs/sources/built-from.ts isFileLink',
    'docs/sources/file-pages.ts isReStructuredText',
    'docs/sources/folder-source.ts findRepository',
    'docs/sources/owner-words.ts wordPath',
    'docs/web/web-client.ts assertRead',
    'reader/ask/answer-trace.ts traceAnswer',
    'reader/ask/ask.ts askerOf',

    'reader/output-filter/status-line.ts kindOf',
    'agent/checks/navigation-findings.ts touchesNavigation',
    'agent/checks/navigation-findings.ts spelled',
    'agent/checks/navigation-findings.ts entryOf',
    'agent/checks/docs-state.ts isDocsFile',
    'agent/checks/docs-state.ts isPartial',
    'agent/commands/context.ts folderOf',
    'agent/commands/context.ts newPath',
    'agent/commands/context.ts endingOf',
    'agent/commands/context.ts nameOf',
    'agent/publish/publish.ts baseMissing',
    'agent/publish/publish.ts findStart',
    'agent/workspace/hosts.ts isListedHost',
    'agent/workspace/path-policy.ts createPathPolicy',
    'agent/workspace/tree.ts foldersOf',
    'platform/redaction/redact.ts pseudonym',
    'platform/text.ts nameSome',
  ],
  'it passes a sentence on': [
    'agent/checks/page-facts.ts unreadFacts',
    'agent/commands/context.ts refuse',
    'reader/ask/ask-unstored.ts callerFor',
    'reader/ask/ask-unstored.ts plainQuestion',
  ],
  'what it reads goes to workers, or to functions that are measured': [
    'agent/checks/affected-pages.ts findAddressesInUse',
    'agent/checks/check-docs.ts checkAll',
    'agent/checks/docs-state.ts openState',
    'agent/checks/docs-state.ts readDocsLayout',
    'agent/checks/frontmatter-findings.ts findFrontmatterFindings',
    'agent/checks/link-findings.ts targetOf',
    'agent/checks/frontmatter-findings.ts readSiblings',
    'agent/commands/edit-navigation.ts listPage',
    'agent/commands/edit-navigation.ts redirect',
    'agent/commands/context.ts findPage',
    'agent/commands/context.ts pagesIn',
  ],
  "what the owner's configuration names": [
    'agent/talk/read-event.ts isGenuine',
    'docs/sources/open-sources.ts fileSettings',
    'platform/redaction/own-secrets.ts recognizeSecrets',
  ],
};

interface Exported {
  file: string;
  name: string;
}

/** Exported functions that take a text, or bytes. */
async function readersOfText(): Promise<Exported[]> {
  const found: Exported[] = [];
  for (const place of places) {
    const isFolder = (await stat(join(source, place))).isDirectory();
    const names = isFolder ? await readdir(join(source, place), { recursive: true }) : [''];
    for (const name of names) {
      const path = join(source, place, name);
      if (!path.endsWith('.ts') || path.endsWith('.test.ts')) continue;
      const text = await readFile(path, 'utf8');
      for (const statement of parseSync(path, text).program.body) {
        if (statement.type !== 'ExportNamedDeclaration' || !statement.declaration) continue;
        const { declaration } = statement;
        const functions =
          declaration.type === 'FunctionDeclaration'
            ? [{ id: declaration.id, made: declaration }]
            : declaration.type === 'VariableDeclaration'
              ? declaration.declarations.map(({ id, init }) => ({ id, made: init }))
              : [];
        for (const { id, made } of functions) {
          if (!made || !('params' in made) || id?.type !== 'Identifier') continue;
          const takesText = made.params.some(({ start, end }) =>
            /\b(?:string|Buffer|Uint8Array)\b/.test(text.slice(start, end)),
          );
          if (takesText) found.push({ file: relative(source, path), name: id.name });
        }
      }
    }
  }
  return found;
}

test('every function that takes a text is one of these, or runs in one of them', async () => {
  const ran = new Set([...measured.values()].flatMap(({ functions }) => functions));
  const missing = (await readersOfText())
    .filter(({ file, name }) => !ran.has(`file://${join(source, file)} ${name}`))
    .map(({ file, name }) => `${file} ${name}`);
  const known = Object.values(others).flat();
  expect(
    missing.filter((one) => !known.includes(one)),
    'add it to tests/support/foreign-text.ts',
  ).toEqual([]);
  expect(
    known.filter((one) => !missing.includes(one)),
    'gone, or it runs by now: remove the entry',
  ).toEqual([]);
});
