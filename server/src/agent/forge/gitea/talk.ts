/** What people say about pull requests at Gitea and Forgejo, our answers, and failed checks. */
import { z } from 'zod';
import { JobError } from '../../../platform/errors.ts';
import type { Rest } from '../remote/rest.ts';
import {
  afterOf,
  type FailedCheck,
  nobodyKnown,
  reviewersOf,
  reviewOf,
  type Standing,
  type Talk,
  teamIn,
  writeOnce,
} from '../talk.ts';

const limit = 50;
const maxPages = 4;
const maxChecks = 5;

const User = z.object({ login: z.string() });
/** modules/structs/repo_commit.go: nobody without an account has one. */
const Commit = z.object({ author: User.extend({ id: z.number() }).nullish() });
const Labels = z.array(z.object({ id: z.number(), name: z.string() }));
const Permission = z.object({ permission: z.string() });
const Reviews = z.array(z.object({ id: z.number(), user: User.nullish(), body: z.string() }));
const Comments = z.array(
  z.object({
    body: z.string(),
    user: User.nullish(),
    path: z.string().optional(),
    position: z.number().optional(),
  }),
);
const Statuses = z.array(
  z.object({ context: z.string(), status: z.string(), description: z.string().nullish() }),
);

/** modules/commitstatus/commit_status.go */
const states: Record<string, Standing['checks']> = {
  pending: 'running',
  success: 'passing',
  warning: 'passing',
  skipped: 'passing',
  failure: 'failing',
  error: 'failing',
};
/** services/convert/status.go: the state is empty without any. */
const Combined = z.object({ state: z.string(), total_count: z.number().optional() });
/** modules/structs/pull_review.go */
const Decisions = z.array(
  z.object({ user: User.nullish(), state: z.string(), dismissed: z.boolean().optional() }),
);

export function createGiteaTalk(rest: Rest, at: string): Talk {
  return {
    async authorOf({ owner, name, commit }, signal) {
      const path = `/repos/${owner}/${name}/git/commits/${commit}`;
      const query = { stat: 'false', verification: 'false', files: 'false' };
      return (await rest.find(Commit, { path, query, signal }))?.author ?? undefined;
    },

    /** By number: old releases know no names, and new ones leave out what they don't have without a word. */
    async addLabel(pull, label, signal) {
      let id: number | undefined;
      // An organization's labels are its repositories' too (routers/api/v1/org/label.go).
      for (const path of [`${at}/labels`, `/orgs/${at.split('/')[2]}/labels`]) {
        const pages = rest.pages(Labels, { path, query: { limit }, signal }, maxPages);
        try {
          for await (const page of pages) id ??= page.find(({ name }) => name === label)?.id;
        } catch (error) {
          // The owner is no organization, or the token may not read organizations.
          if (path.startsWith(at) || !(error instanceof JobError)) throw error;
        }
        if (id !== undefined) break;
      }
      if (id === undefined) {
        throw new JobError('forge_rejected', 'It doesn’t exist; create it in the repository.');
      }
      const path = `${at}/issues/${pull}/labels`;
      await rest.send({ method: 'POST', path, body: { labels: [id] }, signal });
    },

    async askForReview(pull, reviewer, signal) {
      const path = `${at}/pulls/${pull}/requested_reviewers`;
      const request = { method: 'POST', path, body: reviewersOf(reviewer), signal } as const;
      const { data } = await rest.send(request, nobodyKnown);
      // Without a word, it ignores teams where the owner is no organization.
      if (teamIn(reviewer) !== undefined && Array.isArray(data) && data.length === 0) {
        throw new JobError('forge_rejected', 'Only organizations have teams.');
      }
    },

    /**
     * Only administrators of the repository may ask (routers/api/v1/repo/collaborators.go). The list of
     * assignees, which everybody may read, also has members of teams that may only read.
     */
    async mayWrite({ login }, signal) {
      const path = `${at}/collaborators/${encodeURIComponent(login)}/permission`;
      const found = await rest.find(Permission, { path, signal });
      return ['write', 'admin', 'owner'].includes(found?.permission ?? 'none');
    },

    /** Webhooks don't name the review (services/webhook/notifier.go), so it's the newest with these words. */
    async readReview({ pull, author, text }, signal) {
      const path = `${at}/pulls/${pull}/reviews`;
      let review: number | undefined;
      for await (const page of rest.pages(Reviews, { path, query: { limit }, signal }, maxPages)) {
        const own = page.filter(({ user, body }) => user?.login === author.login && body === text);
        review = own.at(-1)?.id ?? review;
      }
      const thread = { pull };
      if (review === undefined) return { remarks: [{ text }], thread };
      const comments = await rest.ask(Comments, { path: `${path}/${review}/comments`, signal });
      const lines = comments
        .filter(({ user }) => user?.login === author.login)
        .map(({ body, path: file = '', position: line }) => ({
          text: body,
          at: { path: file, line },
        }));
      return { remarks: [{ text }, ...lines], thread };
    },

    async answer({ pull }, answer, signal) {
      const path = `${at}/issues/${pull}/comments`;
      const query = { since: afterOf(answer) };
      const comments = await rest.ask(Comments, { path, query, signal });
      await writeOnce(rest, answer, comments, { path, signal });
    },

    async failedChecks(commit, signal) {
      const path = `${at}/commits/${commit}/statuses`;
      const query = { sort: 'recentupdate', limit };
      const statuses = await rest.ask(Statuses, { path, query, signal });
      // The newest of each context counts.
      const newest = new Map<string, z.output<typeof Statuses>[number]>();
      for (const one of statuses) if (!newest.has(one.context)) newest.set(one.context, one);
      const failed = [...newest.values()].filter(({ status }) =>
        ['failure', 'error'].includes(status),
      );
      return failed.slice(0, maxChecks).map(({ context, description }): FailedCheck => ({
        name: context,
        log: description ?? '',
      }));
    },

    async standing({ pull, commit }, signal) {
      const [combined, reviews] = await Promise.all([
        rest.ask(Combined, { path: `${at}/commits/${commit}/status`, signal }),
        rest.ask(Decisions, { path: `${at}/pulls/${pull}/reviews`, query: { limit }, signal }),
      ]);
      const valid = reviews.filter(({ dismissed }) => dismissed !== true);
      return {
        checks: combined.total_count === 0 ? 'none' : (states[combined.state] ?? 'none'),
        review: reviewOf(valid.map(({ user, state }) => ({ by: user?.login, state }))),
      };
    },
  };
}
