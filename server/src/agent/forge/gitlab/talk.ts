/** What people say about merge requests at GitLab, our answers, and failed jobs of pipelines. */
import { z } from 'zod';
import { JobError } from '../../../platform/errors.ts';
import type { Rest } from '../remote/rest.ts';
import {
  type FailedCheck,
  nobodyKnown,
  type Standing,
  type Talk,
  teamIn,
  writeOnce,
} from '../talk.ts';

const maxChecks = 5;
/** https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const developer = 30;

const Member = z.object({ access_level: z.number(), state: z.string().optional() });
/** https://docs.gitlab.com/api/commits/ and https://docs.gitlab.com/api/users/ */
const Commit = z.object({ author_email: z.string() });
const Users = z.array(z.object({ id: z.number(), username: z.string() }));
const Reviewed = z.object({ reviewers: z.array(z.object({ id: z.number() })).nullish() });
const Note = z.object({ body: z.string() });
const Statuses = z.array(
  z.object({
    id: z.number(),
    name: z.string(),
    status: z.string(),
    description: z.string().nullish(),
    allow_failure: z.boolean().optional(),
  }),
);

/** https://docs.gitlab.com/api/merge_requests/#get-single-mr */
const Pipelined = z.object({ head_pipeline: z.object({ status: z.string() }).nullish() });
/** https://docs.gitlab.com/api/pipelines/: the others are on their way. */
const pipelines: Record<string, Standing['checks']> = {
  success: 'passing',
  skipped: 'passing',
  failed: 'failing',
  canceled: 'failing',
};
/** https://docs.gitlab.com/api/merge_request_approvals/ */
const Approvals = z.object({ approved_by: z.array(z.unknown()) });

export function createGitLabTalk(rest: Rest, at: string): Talk {
  const requests = `${at}/merge_requests`;

  return {
    /** By email address, which the host shows if it's public. */
    async authorOf({ owner, name, commit }, signal) {
      const project = `/projects/${encodeURIComponent(`${owner}/${name}`)}`;
      const path = `${project}/repository/commits/${commit}`;
      const found = await rest.find(Commit, { path, signal });
      if (!found) return undefined;
      const query = { search: found.author_email };
      const [user, ...others] = await rest.ask(Users, { path: '/users', query, signal });
      return user && others.length === 0 ? { id: user.id, login: user.username } : undefined;
    },

    /** GitLab makes labels that it doesn't have. */
    async addLabel(pull, label, signal) {
      const path = `${requests}/${pull}`;
      await rest.send({ method: 'PUT', path, body: { add_labels: label }, signal });
    },

    async askForReview(pull, reviewer, signal) {
      if (teamIn(reviewer) !== undefined) {
        throw new JobError('forge_rejected', 'GitLab asks people, and no teams.');
      }
      const query = { username: reviewer };
      const [user] = await rest.ask(Users, { path: '/users', query, signal });
      if (!user) throw nobodyKnown();
      const path = `${requests}/${pull}`;
      const idsIn = async (request: object) => {
        const { reviewers } = await rest.ask(Reviewed, { path, signal, ...request });
        return new Set((reviewers ?? []).map(({ id }) => id));
      };
      const ids = (await idsIn({})).add(user.id);
      const asked = await idsIn({ method: 'PUT', body: { reviewer_ids: [...ids] } });
      // Without a word, it leaves out who may not be asked, and in GitLab Free all but one.
      if (!asked.has(user.id)) {
        throw new JobError(
          'forge_rejected',
          'GitLab left them out: they need access to the project, and GitLab Free has one reviewer.',
        );
      }
    },

    /** Also by groups and invited groups. */
    async mayWrite({ id }, signal) {
      const found = await rest.find(Member, { path: `${at}/members/all/${id}`, signal });
      return (found?.access_level ?? 0) >= developer && (found?.state ?? 'active') === 'active';
    },

    /** Each note of a review has a webhook of its own. */
    readReview: async ({ pull, text }) => ({ remarks: [{ text }], thread: { pull } }),

    async answer({ pull, id }, answer, signal) {
      const path = `${requests}/${pull}/${id === undefined ? 'notes' : `discussions/${id}`}`;
      const query = { sort: 'desc', per_page: 100 };
      const notes =
        id === undefined
          ? await rest.ask(z.array(Note), { path, query, signal })
          : (await rest.find(z.object({ notes: z.array(Note) }), { path, signal }))?.notes;
      // A discussion that was deleted meanwhile takes no answer.
      const to = id === undefined || !notes ? `${requests}/${pull}/notes` : `${path}/notes`;
      await writeOnce(rest, answer, notes ?? [], { path: to, signal });
    },

    async failedChecks(commit, signal) {
      const path = `${at}/repository/commits/${commit}/statuses`;
      const statuses = await rest.ask(Statuses, { path, query: { per_page: 100 }, signal });
      const failed = statuses.filter((one) => one.status === 'failed' && !one.allow_failure);
      const checks: FailedCheck[] = [];
      for (const { id, name, description } of failed.slice(0, maxChecks)) {
        // The IDs of GitLab's own jobs; another program's status has no log.
        const log = await rest
          .send({ path: `${at}/jobs/${id}/trace`, signal })
          .then(({ data }) => String(data))
          .catch(() => undefined);
        signal?.throwIfAborted();
        checks.push({ name, log: log ?? description ?? '' });
      }
      return checks;
    },

    async standing({ pull }, signal) {
      const path = `${requests}/${pull}`;
      const [{ head_pipeline: pipeline }, approvals] = await Promise.all([
        rest.ask(Pipelined, { path, signal }),
        rest.find(Approvals, { path: `${path}/approvals`, signal }),
      ]);
      return {
        checks: pipeline ? (pipelines[pipeline.status] ?? 'running') : 'none',
        // Without required approvals, it counts as approved from the beginning.
        review: (approvals?.approved_by.length ?? 0) > 0 ? 'approved' : 'none',
      };
    },
  };
}
