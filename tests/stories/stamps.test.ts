/** Every answer states when its pages were read, at which commit, and of which version they are. */
import { execFileSync } from 'node:child_process';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Conversation } from '@docent/shared/analytics';
import type { AnswerStamp } from '@docent/shared/stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Part, partOf } from '../support/ask.ts';
import { getJson } from '../support/call.ts';
import { answerOf, releases, renderChat } from '../support/chat-sdks.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

const question = 'How do I calibrate the wind vane?';
let home: Awaited<ReturnType<typeof temporaryFolder>>;
let docent: TestDocent;
let stamp: AnswerStamp;
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
    cwd: home.path,
    encoding: 'utf8',
  }).trim();
const commit = async (path: string, text: string) => {
  await mkdir(dirname(join(home.path, path)), { recursive: true });
  await writeFile(join(home.path, path), text);
  git('add', '--all');
  git('commit', '--quiet', '--message', path);
};
const index = () => docent.docent.services.indexer.index('kestrel-docs');
const stampIn = (parts: readonly Part[]) => {
  const { indexedAt, commits, versions } = (partOf([...parts], 'data-answer')?.['data'] ??
    {}) as Partial<AnswerStamp>;
  return { indexedAt, commits, versions };
};
const ask = (text: string, version: string) =>
  docent.ask({
    fp: 'ada',
    filter: { version },
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
  });

beforeAll(async () => {
  home = await temporaryFolder();
  git('init', '--quiet', '--initial-branch=main');
  await commit('v1/vane.md', '# Wind vane\n\nCalibrate the wind vane with a magnet.\n');
  await commit('v2/vane.md', '# Wind vane\n\nCalibrate the wind vane with the application.\n');
  const source = (version: string) =>
    ({
      type: 'git',
      url: home.path,
      folder: `v${version}`,
      basePath: `/v${version}`,
      version,
    }) as const;
  docent = await startDocent({
    sites: { 'kestrel-docs': { docs: { sources: [source('1'), source('2')] } } },
  });
  await docent.docent.services.indexer.index('kestrel-docs', { acceptFewer: true });
  const row = await docent.docent.services.indexer.runs.read('kestrel-docs');
  stamp = {
    indexedAt: row.startedAt ?? '',
    commits: [git('rev-parse', 'HEAD')],
    versions: ['2'],
  };
});
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});

test('in the stream, when it is resumed, in the list, and in the export', async () => {
  const asked = await ask(question, '2');
  expect(stampIn(asked.parts)).toEqual(stamp);
  expect(stampIn((await ask(question, '1')).parts).versions).toEqual(['1']);
  const { database } = docent.docent.services;
  const stored = await database.selectFrom('turns').select('stamp').orderBy('id').execute();
  expect(JSON.parse(stored[0]?.stamp ?? '')).toEqual(stamp);
  const path = '/v1/analytics/kestrel-docs/assistant';
  const { body } = await getJson<{ conversations: Conversation[] }>(docent, path, {
    key: docent.admin,
  });
  expect(body.conversations.at(-1)?.stamp).toEqual(stamp);
  const csv = await fetch(`${docent.url}${path}?format=csv`, {
    headers: { authorization: `Bearer ${docent.admin}` },
  });
  const [head = '', ...rows] = (await csv.text()).split('\r\n');
  expect(head).toMatch(/indexedAt,commits,versions$/);
  expect(rows.some((row) => row.endsWith(`${stamp.indexedAt},${stamp.commits.join(' ')},2`))).toBe(
    true,
  );
});

test.each(releases.filter(({ name }) => name.endsWith('.0.0')))(
  'chat SDK $name takes it',
  async (release) => {
    const api = `${docent.url}/discovery/v2/assistant/kestrel-docs/message`;
    using page = await renderChat(release, { api, key: docent.key });
    await page.chat().sendMessage({ text: question });
    const chat = await page.settled();
    expect(chat.error).toBeUndefined();
    expect(stampIn(answerOf(chat).parts as Part[])).toMatchObject({ commits: stamp.commits });
  },
);

test('a run that fails changes no stamp, and the next one does', async () => {
  const { database } = docent.docent.services;
  const away = (from: string, to: string) => rename(join(home.path, from), join(home.path, to));
  await away('.git', '.gone');
  await expect(index()).rejects.toThrow();
  expect(stampIn((await ask(question, '2')).parts)).toEqual(stamp);
  await away('.gone', '.git');
  await commit('v2/vane.md', '# Wind vane\n\nCalibrate the wind vane with the new application.\n');
  await index();
  const { indexedAt, commits } = stampIn((await ask(question, '2')).parts);
  expect(commits).toContain(git('rev-parse', 'HEAD'));
  expect(Date.parse(indexedAt ?? '')).toBeGreaterThan(Date.parse(stamp.indexedAt));
  const turns = await database.selectFrom('turns').select('stamp').execute();
  expect(turns.every((turn) => turn.stamp !== null)).toBe(true);
});

test('a site whose runs are not recorded has none', async () => {
  const { parts } = await docent.ask('How do I install Kestrel?', { domain: 'kestrel-docs' });
  expect(stampIn(parts).indexedAt).toBeDefined();
  await using other = await startDocent();
  expect(stampIn((await other.ask('How do I install Kestrel?')).parts)).toEqual({});
});
