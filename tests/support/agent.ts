/** Agent jobs as a program of an owner asks for them, and a hand that does what a runner does. */
import type { AgentFailure, AgentJob } from '@docent/shared/agent';
import type { AgentEvent, AgentLogEntry } from '@docent/shared/agent-events';
import { type FailureCode, failureTable } from '@docent/shared/agent-failures';
import type { DocentConfig } from '@docent/server/docent';
import { type Called, type CallOptions, getJson, postJson } from './call.ts';
import type { TestDocent } from './start-docent.ts';

export const kestrelProject: NonNullable<DocentConfig['projects']>[number] = {
  id: 'kestrel',
  organization: 'kestrel',
  repository: 'https://github.com/kestrel/docs',
  baseBranch: 'main',
  site: 'kestrel-docs',
  model: 'main',
};

/** Of another organization. */
export const ospreyProject: typeof kestrelProject = {
  id: 'osprey',
  organization: 'osprey',
  repository: 'https://github.com/osprey/docs',
  model: 'main',
};

export type Refused = { error: string; code: string; requestId: string; details?: unknown[] };

type Asked = Pick<TestDocent, 'url' | 'admin'>;

/** The endpoints of one project. A reply that is a refusal has its body too. */
export function agentOf({ url, admin }: Asked, project = 'kestrel') {
  const server = { url, key: admin };
  const at = (rest: string) => `/v2/agent/${project}${rest}`;
  type Reply = Promise<Called<AgentJob & Refused>>;

  return {
    create: (body: unknown, options?: CallOptions): Reply =>
      postJson(server, at('/job'), body, options),
    message: (id: string, body: unknown, options?: CallOptions): Reply =>
      postJson(server, at(`/job/${id}/message`), body, options),
    read: (id: string, options?: CallOptions): Reply => getJson(server, at(`/job/${id}`), options),
    cancel: (id: string, options?: CallOptions): Reply =>
      postJson(server, at(`/job/${id}/cancel`), undefined, options),
    archive: (id: string, options?: CallOptions): Reply =>
      postJson(server, at(`/job/${id}/archive`), undefined, options),
    async remove(id: string, { key = admin }: CallOptions = {}): Reply {
      const response = await fetch(url + at(`/job/${id}`), {
        method: 'DELETE',
        headers: { authorization: `Bearer ${key}` },
      });
      const body = (await response.json()) as AgentJob & Refused;
      return { status: response.status, headers: response.headers, body };
    },
    list: (query = '', options?: CallOptions): Promise<Called<{ jobs: AgentJob[] } & Refused>> =>
      getJson(server, at(`/jobs${query}`), options),
    /** Opens the log; `lastEventId` as a browser sends it after a break. */
    follow: (id: string, lastEventId?: number | string, signal?: AbortSignal) =>
      fetch(url + at(`/job/${id}/events`), {
        headers: {
          authorization: `Bearer ${admin}`,
          ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
        },
        ...(signal && { signal }),
      }),
  };
}

export interface SentEvent {
  id: number;
  event: string;
  data: AgentLogEntry;
}

/** Reads server-sent events one by one, as they come; comments are left out. */
export async function* sentEvents(response: Response): AsyncGenerator<SentEvent> {
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end < 0) break;
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      const fields = Object.fromEntries(
        block.split('\n').map((line) => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon), line.slice(colon + 2)];
        }),
      );
      if (fields['data'] === undefined) continue;
      yield {
        id: Number(fields['id']),
        event: fields['event'] ?? '',
        data: JSON.parse(fields['data']) as AgentLogEntry,
      };
    }
  }
}

/**
 * Does to jobs what a runner does, one thing at a time. For a server that runs none by itself
 * (`runJobs: false`).
 */
export function handOf({ docent }: Pick<TestDocent, 'docent'>) {
  const { jobs, database } = docent.services;

  async function inTransaction(
    id: string,
    work: (tx: typeof database, row: Parameters<typeof jobs.complete>[1]) => Promise<unknown>,
  ): Promise<void> {
    await jobs.events.transaction(async (tx) => {
      const row = await tx
        .selectFrom('agent_jobs')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      await work(tx, row);
    });
  }

  return {
    /** Takes the job, as a process does. */
    take: (id: string) =>
      inTransaction(id, async (tx, row) => {
        await tx
          .updateTable('agent_jobs')
          .set({ state: 'running', attempt: row.attempt + 1, started_at: row.queued_at })
          .where('id', '=', id)
          .execute();
        const { attempt, round } = row;
        await jobs.events.append(tx, row, [{ type: 'started', attempt: attempt + 1, round }]);
      }),
    say: (id: string, ...events: AgentEvent[]) =>
      inTransaction(id, (tx, row) => jobs.events.append(tx, row, events)),
    complete: (id: string, pull?: { number: number; url: string }) =>
      inTransaction(id, (tx, row) =>
        tx
          .updateTable('agent_jobs')
          .set({
            title: 'Fix the install page',
            message: 'The install page is right now.',
            ...(pull && { pull_number: pull.number, pull_url: pull.url }),
          })
          .where('id', '=', row.id)
          .returningAll()
          .executeTakeFirstOrThrow()
          .then((outcome) => jobs.complete(tx, outcome)),
      ),
    fail: (id: string, failure: Parameters<typeof jobs.fail>[2]) =>
      inTransaction(id, (tx, row) => jobs.fail(tx, row, failure)),
  };
}

export const pull = { number: 7, url: 'https://github.com/kestrel/docs/pull/7' };

export function failureOf(code: FailureCode, message: string): AgentFailure {
  const { title, remedy, retryable } = failureTable[code];
  return { code, title, message, remedy, retryable };
}
