/** What people say about pull requests at GitHub, our answers, and failed checks. */
import {
  type FailedCheck,
  type Remark,
  reviewOf,
  type Talk,
  type Thread,
  together,
} from '../talk.ts';
import { JobError } from '../../../platform/errors.ts';
import type { GitHubRepository } from './branches.ts';

const perPage = 100;
const maxChecks = 5;
/** Runners mark errors near the end, and may print gigabytes before. */
const maxLogBytes = 20_000_000;
const keptLog = 64_000;
/** The clocks of hosts differ from ours. */
const skewMs = 3_600_000;

const failed = new Set(['failure', 'timed_out', 'startup_failure']);

export function createTalk({ client, repo }: GitHubRepository): Talk {
  /** What an Actions job printed; undefined if we may not read it, or it's another program's check. */
  async function readLog(job: number, signal?: AbortSignal): Promise<string | undefined> {
    const found = await client
      .find(
        (github, request) =>
          github.request('GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs', {
            ...repo,
            job_id: job,
            request: { ...request, fetch: fetchLog, parseSuccessResponseBody: false },
          }),
        { signal },
      )
      .catch(() => undefined);
    signal?.throwIfAborted();
    const body = found?.data as unknown as AsyncIterable<Uint8Array> | undefined;
    return body && endOf(body);
  }

  return {
    async authorOf({ owner, name, commit: ref }, signal) {
      const found = await client.find(
        (github, request) => github.rest.repos.getCommit({ owner, repo: name, ref, request }),
        { signal },
      );
      const { id, login } = found?.data.author ?? {};
      return id === undefined || login === undefined ? undefined : { id, login };
    },

    async askForReview(pull, { login }, signal) {
      const reviewers = [login];
      await client.ask(
        (github, request) =>
          github.rest.pulls.requestReviewers({ ...repo, pull_number: pull, reviewers, request }),
        { signal },
      );
    },

    async mayWrite({ login: username }, signal) {
      const found = await client.find(
        (github, request) =>
          github.rest.repos.getCollaboratorPermissionLevel({ ...repo, username, request }),
        { signal },
      );
      return ['admin', 'write'].includes(found?.data.permission ?? 'none');
    },

    async readReview({ pull, id, author, text }, signal) {
      const thread: Thread = { pull };
      if (id === undefined) return { remarks: [{ text }], thread };
      const review = { ...repo, pull_number: pull, review_id: Number(id) };
      const whole = await client.find(
        (github, request) => github.rest.pulls.getReview({ ...review, request }),
        { signal },
      );
      const { data } = await client.ask(
        (github, request) =>
          github.rest.pulls.listCommentsForReview({ ...review, per_page: perPage, request }),
        { signal },
      );
      // Others may have answered in the same threads.
      const own = data.filter(({ user }) => user?.login === author.login);
      const remarks: Remark[] = [
        { text: whole?.data.body ?? '' },
        ...own.map(({ body, path, line, original_line: original }) => ({
          text: body,
          at: { path, line: line ?? original },
        })),
      ];
      const first = own.length === 1 && !whole?.data.body ? own[0] : undefined;
      // Answers name the first comment of a thread.
      const top = first?.in_reply_to_id ?? first?.id;
      return { remarks, thread: { pull, ...(top !== undefined && { id: String(top) }) } };
    },

    async answer({ pull, id }, { body, mark, since }, signal) {
      const after = new Date(Date.parse(since) - skewMs).toISOString();
      const { data: comments } = await client.ask(
        (github, request): Promise<{ data: { body?: string }[] }> =>
          id === undefined
            ? github.rest.issues.listComments({
                ...repo,
                issue_number: pull,
                since: after,
                per_page: perPage,
                request,
              })
            : github.rest.pulls.listReviewComments({
                ...repo,
                pull_number: pull,
                since: after,
                sort: 'created',
                direction: 'desc',
                per_page: perPage,
                request,
              }),
        { signal },
      );
      if (comments.some((one) => one.body?.includes(mark))) return;
      const text = `${body}\n\n${mark}`;
      await client.ask(
        async (github, options): Promise<unknown> => {
          // If the answer gets lost, the comment may be there; the next call looks.
          const request = { ...options, retries: 0 };
          return id === undefined
            ? github.rest.issues.createComment({ ...repo, issue_number: pull, body: text, request })
            : github.rest.pulls.createReplyForReviewComment({
                ...repo,
                pull_number: pull,
                comment_id: Number(id),
                body: text,
                request,
              });
        },
        { signal },
      );
    },

    async failedChecks(commit, signal) {
      const { data } = await client.ask(
        (github, request) =>
          github.rest.checks.listForRef({
            ...repo,
            ref: commit,
            filter: 'latest',
            per_page: perPage,
            request,
          }),
        { signal },
      );
      const bad = data.check_runs.filter(({ conclusion }) => failed.has(conclusion ?? ''));
      const checks: FailedCheck[] = [];
      for (const { id, name, output, app } of bad.slice(0, maxChecks)) {
        const log = app?.slug === 'github-actions' ? await readLog(id, signal) : undefined;
        const told = [output.title, output.summary, output.text].filter(Boolean).join('\n');
        checks.push({ name, log: log ?? told });
      }
      const statuses = await client.ask(
        (github, request) =>
          github.rest.repos.getCombinedStatusForRef({
            ...repo,
            ref: commit,
            per_page: perPage,
            request,
          }),
        { signal },
      );
      for (const { state, context, description } of statuses.data.statuses) {
        if (state !== 'failure' && state !== 'error') continue;
        checks.push({ name: context, log: description ?? '' });
      }
      return checks.slice(0, maxChecks);
    },

    async standing({ pull, commit }, signal) {
      const ask = { ...repo, ref: commit, per_page: perPage };
      const [runs, statuses, reviews] = await Promise.all([
        // Tokens can't read checks of Apps.
        client
          .ask((github, request) => github.rest.checks.listForRef({ ...ask, request }), { signal })
          .catch(withoutRight),
        client
          .ask(
            (github, request) => github.rest.repos.getCombinedStatusForRef({ ...ask, request }),
            {
              signal,
            },
          )
          .catch(withoutRight),
        client.ask(
          (github, request) =>
            github.rest.pulls.listReviews({
              ...repo,
              pull_number: pull,
              per_page: perPage,
              request,
            }),
          { signal },
        ),
      ]);
      const checks = [
        ...(runs?.data.check_runs ?? []).map(({ status, conclusion }) =>
          status === 'completed'
            ? failed.has(conclusion ?? '')
              ? 'failing'
              : 'passing'
            : 'running',
        ),
        ...(statuses?.data.statuses ?? []).map(({ state }) =>
          state === 'success' ? 'passing' : state === 'pending' ? 'running' : 'failing',
        ),
      ] as const;
      const isHidden = checks.length === 0 && !(runs && statuses);
      return {
        checks: isHidden ? 'unknown' : together(checks),
        review: reviewOf(reviews.data.map(({ user, state }) => ({ by: user?.login, state }))),
      };
    },
  };
}

/** Logs are kept by another host, which must not see the token. */
const fetchLog: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const location = response.headers.get('location');
  if (response.status !== 302 || location === null) return response;
  await response.body?.cancel();
  return fetch(location, { signal: init?.signal ?? null, redirect: 'error' });
};

/** The end of a text that may be large. */
async function endOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let end = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxLogBytes) break;
    end = (end + decoder.decode(chunk, { stream: true })).slice(-keptLog);
  }
  return end;
}

function withoutRight(error: unknown): undefined {
  if (error instanceof JobError && error.code === 'forge_forbidden') return undefined;
  throw error;
}
