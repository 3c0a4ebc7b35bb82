/** A month of readers for the pictures of the dashboard: real questions and answers, with other times. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import type { Demo } from '@docent/demo-site/start';
import type { Browser, BrowserContext } from 'playwright-core';

const domain = 'docent-docs';
const days = 30;
const dayMs = 86_400_000;

const uncovered = [
  'Is there a Helm chart for Kubernetes?',
  'Helm chart to deploy on Kubernetes',
  'Where is the Kubernetes Helm chart?',
  'Can readers ask from a Slack channel?',
  'Slack bot for our Slack channel',
  'Does it read Confluence spaces?',
  'Zendesk tickets as a source',
];

const covered = readFileSync(
  fileURLToPath(new URL('../../demo-site/docent-docs.eval.jsonl', import.meta.url)),
  'utf8',
)
  .trim()
  .split('\n')
  .slice(0, 30)
  .map((line) => (JSON.parse(line) as { question: string }).question);

/** Makes the first account, and what it sees. */
export async function fillDashboard(
  demo: Demo,
  dataFolder: string,
  browser: Browser,
): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const context = await browser.newContext();
  const post = async (path: string, data: object, headers = {}) => {
    const response = await context.request.post(demo.docentUrl + path, { data, headers });
    if (!response.ok()) throw new Error(`${path}: ${await response.text()}`);
    return response;
  };
  const origin = new URL(demo.docentUrl).origin;
  await post(
    '/v1/setup',
    {
      token: new URL(demo.dashboard ?? '').searchParams.get('token'),
      email: 'ada@example.com',
      name: 'Ada Lindqvist',
      password: 'a long walk by the sea',
    },
    { origin },
  );
  for (const key of [
    { kind: 'assistant', name: 'docs.example.com', scopes: ['assistant', 'search'], domain },
    { kind: 'admin', name: 'nightly export', scopes: ['read'], expiresInDays: 7 },
    { kind: 'admin', name: 'release bot', scopes: ['read', 'write'] },
  ]) {
    await post('/v1/keys', key, { origin });
  }
  const authorization = `Bearer ${demo.key}`;
  for (const [index, question] of [...covered, ...uncovered].entries()) {
    const fp = `reader-${index % 17}`;
    const asked = await post(
      `/discovery/v2/assistant/${domain}/message`,
      { fp, messages: [{ role: 'user', parts: [{ type: 'text', text: question }] }] },
      { authorization, origin: demo.siteUrl },
    );
    const messageId = /"messageId":"([^"]+)"/.exec(await asked.text())?.[1];
    if (index % 5 !== 0 || messageId === undefined) continue;
    const rating =
      index % 15 === 0
        ? { rating: 'down', reasons: ['incomplete'], note: 'I looked for an example.' }
        : { rating: 'up' };
    await post(
      `/discovery/v1/feedback/${domain}`,
      { fp, messageId, ...rating },
      { authorization, origin: demo.siteUrl },
    );
  }
  repeat(join(dataFolder, 'docent.db'));
  const state = await context.storageState();
  await context.close();
  return state;
}

type Row = Record<string, string | number | null>;

/** The same questions on earlier days: more from week to week, and fewer on weekends. */
function repeat(path: string): void {
  const file = new DatabaseSync(path);
  const insert = (table: string, row: Row) =>
    file
      .prepare(
        `insert into ${table} (${Object.keys(row).join(', ')})
          values (${Object.keys(row)
            .map(() => '?')
            .join(', ')})`,
      )
      .run(...Object.values(row));
  const turns = file
    .prepare('select turns.*, threads.fp from turns join threads on threads.id = thread_id')
    .all() as Row[];
  const move = file.prepare('update turns set created_at = ?, finished_at = ? where id = ?');
  const minutes = (at: unknown, before: number) =>
    new Date(Date.parse(String(at)) - before * 60_000).toISOString();
  for (const [index, turn] of turns.entries()) {
    // Questions of both kinds take turns.
    const before = 3 + ((index * 16) % turns.length) * 17;
    const { id = '', created_at, finished_at } = turn;
    move.run(minutes(created_at, before), minutes(finished_at, before), id);
  }
  let count = 0;
  for (let day = 0; day < days; day += 1) {
    const weekday = new Date(Date.now() - day * dayMs).getDay();
    const share = (weekday === 0 || weekday === 6 ? 0.4 : 1) * (1 - day / (days * 1.6));
    for (const [index, { fp, ...turn }] of turns.entries()) {
      count += 1;
      // A fixed pattern, which looks like chance.
      const chance = ((count * 7919) % 1000) / 1000;
      if (chance > share) continue;
      const later = (at: string | number | null | undefined) =>
        typeof at !== 'string'
          ? null
          : new Date(
              Date.parse(at) - day * dayMs - ((index * 0.37 + chance) % 0.6) * dayMs,
            ).toISOString();
      const created_at = later(turn['created_at']);
      const id = `${String(turn['id']).slice(0, 22)}${String(count).padStart(4, '0')}`;
      insert('threads', { id, domain, fp: `${fp}-${day % 9}`, created_at });
      insert('turns', {
        ...turn,
        id,
        thread_id: id,
        created_at,
        finished_at: later(turn['finished_at']),
        chat: null,
        question_id: null,
      });
    }
  }
  file.close();
}
