/** What people say about pull requests at GitHub, our answers, and failed checks. */
import { z } from 'zod';
import {
  afterOf,
  type FailedCheck,
  nobodyKnown,
  type Remark,
  reviewersOf,
  reviewOf,
  type Talk,
  type Thread,
  together,
  writeOnce,
} from '../talk.ts';
import { JobError } from '../../../platform/errors.ts';
import { endOf } from '../remote/exchange.ts';
import type { Rest } from '../remote/rest.ts';

const perPage = 100;
const maxChecks = 5;
/** Runners mark errors near the end, and may print gigabytes before. */
const maxLogBytes = 20_000_000;

const failed = new Set(['failure', 'timed_out', 'startup_failure']);

const User = z.object({ login: z.string() }).nullish();
const Commit = z.object({ author: z.object({ id: z.number(), login: z.string() }).nullish() });
const Permission = z.object({ permission: z.string() });
const Review = z.object({ body: z.string().nullish() });
const Reviews = z.array(z.object({ user: User, state: z.string() }));
const Comments = z.array(z.object({ body: z.string().nullish() }));
const Remarks = z.array(
  z.object({
    id: z.number(),
    user: User,
    body: z.string(),
    path: z.string(),
    line: z.number().nullish(),
    original_line: z.number().nullish(),
    in_reply_to_id: z.number().nullish(),
  }),
);
const Checks = z.object({
  check_runs: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      status: z.string(),
      conclusion: z.string().nullish(),
      output: z.object({
        title: z.string().nullish(),
        summary: z.string().nullish(),
        text: z.string().nullish(),
      }),
      app: z.object({ slug: z.string().optional() }).nullish(),
    }),
  ),
});
const Combined = z.object({
  statuses: z.array(
    z.object({ state: z.string(), context: z.string(), description: z.string().nullish() }),
  ),
});

export function createTalk(rest: Rest, at: string): Talk {
  const query = { per_page: perPage };

  /** What an Actions job printed; undefined if we may not read it, or it's another program's check. */
  async function readLog(job: number, signal?: AbortSignal): Promise<string | undefined> {
    // Logs are kept by another host, which must not see the token.
    const log = await rest
      .redirect({ path: `${at}/actions/jobs/${job}/logs`, signal })
      .then((location) => fetch(location, { signal: signal ?? null, redirect: 'error' }))
      .catch(() => undefined);
    signal?.throwIfAborted();
    return log?.ok && log.body ? endOf(log.body, maxLogBytes) : undefined;
  }

  const checksOf = (commit: string, more: object, signal?: AbortSignal) =>
    rest.ask(Checks, {
      path: `${at}/commits/${commit}/check-runs`,
      query: { ...query, ...more },
      signal,
    });
  const statusOf = (commit: string, signal?: AbortSignal) =>
    rest.ask(Combined, { path: `${at}/commits/${commit}/status`, query, signal });

  return {
    async authorOf({ owner, name, commit }, signal) {
      const found = await rest.find(Commit, {
        path: `/repos/${owner}/${name}/commits/${commit}`,
        signal,
      });
      return found?.author ?? undefined;
    },

    /** GitHub makes labels that it doesn't have. */
    async addLabel(pull, label, signal) {
      const path = `${at}/issues/${pull}/labels`;
      await rest.send({ method: 'POST', path, body: { labels: [label] }, signal });
    },

    async askForReview(pull, reviewer, signal) {
      const path = `${at}/pulls/${pull}/requested_reviewers`;
      const request = { method: 'POST', path, body: reviewersOf(reviewer), signal } as const;
      await rest.send(request, nobodyKnown);
    },

    async mayWrite({ login }, signal) {
      const path = `${at}/collaborators/${encodeURIComponent(login)}/permission`;
      const found = await rest.find(Permission, { path, signal });
      return ['admin', 'write'].includes(found?.permission ?? 'none');
    },

    async readReview({ pull, id, author, text }, signal) {
      const thread: Thread = { pull };
      if (id === undefined) return { remarks: [{ text }], thread };
      const path = `${at}/pulls/${pull}/reviews/${id}`;
      const whole = await rest.find(Review, { path, signal });
      const all = await rest.ask(Remarks, { path: `${path}/comments`, query, signal });
      // Others may have answered in the same threads.
      const own = all.filter(({ user }) => user?.login === author.login);
      const remarks: Remark[] = [
        { text: whole?.body ?? '' },
        ...own.map(({ body, path: file, line, original_line: original }) => ({
          text: body,
          at: { path: file, line: line ?? original ?? undefined },
        })),
      ];
      const first = own.length === 1 && !whole?.body ? own[0] : undefined;
      // Answers name the first comment of a thread.
      const top = first?.in_reply_to_id ?? first?.id;
      return { remarks, thread: { pull, ...(top !== undefined && { id: String(top) }) } };
    },

    async answer({ pull, id }, answer, signal) {
      const path =
        id === undefined ? `${at}/issues/${pull}/comments` : `${at}/pulls/${pull}/comments`;
      const newest = { ...query, since: afterOf(answer), sort: 'created', direction: 'desc' };
      const comments = await rest.ask(Comments, { path, query: newest, signal });
      const to = id === undefined ? path : `${path}/${id}/replies`;
      await writeOnce(rest, answer, comments, { path: to, signal });
    },

    async failedChecks(commit, signal) {
      const { check_runs: runs } = await checksOf(commit, { filter: 'latest' }, signal);
      const bad = runs.filter(({ conclusion }) => failed.has(conclusion ?? ''));
      const checks: FailedCheck[] = [];
      for (const { id, name, output, app } of bad.slice(0, maxChecks)) {
        const log = app?.slug === 'github-actions' ? await readLog(id, signal) : undefined;
        const told = [output.title, output.summary, output.text].filter(Boolean).join('\n');
        checks.push({ name, log: log ?? told });
      }
      const { statuses } = await statusOf(commit, signal);
      for (const { state, context, description } of statuses) {
        if (state !== 'failure' && state !== 'error') continue;
        checks.push({ name: context, log: description ?? '' });
      }
      return checks.slice(0, maxChecks);
    },

    async standing({ pull, commit }, signal) {
      const [runs, combined, reviews] = await Promise.all([
        // Tokens can't read checks of Apps.
        checksOf(commit, {}, signal).catch(withoutRight),
        statusOf(commit, signal).catch(withoutRight),
        rest.ask(Reviews, { path: `${at}/pulls/${pull}/reviews`, query, signal }),
      ]);
      const checks = [
        ...(runs?.check_runs ?? []).map(({ status, conclusion }) =>
          status === 'completed'
            ? failed.has(conclusion ?? '')
              ? 'failing'
              : 'passing'
            : 'running',
        ),
        ...(combined?.statuses ?? []).map(({ state }) =>
          state === 'success' ? 'passing' : state === 'pending' ? 'running' : 'failing',
        ),
      ] as const;
      const isHidden = checks.length === 0 && !(runs && combined);
      return {
        checks: isHidden ? 'unknown' : together(checks),
        review: reviewOf(reviews.map(({ user, state }) => ({ by: user?.login, state }))),
      };
    },
  };
}

function withoutRight(error: unknown): undefined {
  if (error instanceof JobError && error.code === 'forge_forbidden') return undefined;
  throw error;
}
