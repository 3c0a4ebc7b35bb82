/** Pull requests at GitHub. */
import { z } from 'zod';
import { JobError } from '../../../platform/errors.ts';
import type { Forge, NewPullRequest, PullRequest } from '../forge.ts';
import { refusedByGraph } from './failures.ts';
import type { GitHubRepository } from './github-forge.ts';

const Pull = z.object({
  node_id: z.string(),
  number: z.number(),
  html_url: z.string(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  draft: z.boolean().default(false),
  merged_at: z.string().nullish(),
  closed_at: z.string().nullish(),
  head: z.object({ ref: z.string(), sha: z.string() }),
  base: z.object({ ref: z.string() }),
});

const Changed = z.object({
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).default([]),
});

export function createPulls({ rest, at, owner, repository }: GitHubRepository) {
  const path = `${at}/pulls`;

  async function findPullRequest(
    branch: string,
    signal?: AbortSignal,
  ): Promise<PullRequest | undefined> {
    const newest = { state: 'all', sort: 'created', direction: 'desc', per_page: 10 };
    const query = { head: `${owner}:${branch}`, ...newest };
    const found = await rest.ask(z.array(Pull), { path, query, signal });
    // If GitHub doesn't know the branch, it ignores the filter.
    const own = found.filter(({ head }) => head.ref === branch).map(toPullRequest);
    return own.find(({ state }) => state === 'open') ?? own[0];
  }

  async function create(request: NewPullRequest, signal?: AbortSignal): Promise<PullRequest> {
    const { branch, base, title, body, isDraft } = request;
    const wanted = { head: branch, base, title, body, draft: isDraft };
    return toPullRequest(
      await rest.ask(Pull, { method: 'POST', path, body: wanted, branch, signal }),
    );
  }

  /** Only GraphQL changes whether a pull request is a draft. */
  async function changeDraft(id: string, isDraft: boolean, signal?: AbortSignal): Promise<void> {
    const change = isDraft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview';
    const query = `mutation ($id: ID!) { change: ${change}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`;
    const { errors } = await rest.ask(Changed, {
      method: 'POST',
      path: `${rest.apiUrl.replace(/\/v3$/, '')}/graphql`,
      body: { query, variables: { id } },
      signal,
    });
    if (errors.length > 0) throw refusedByGraph(errors, { repository, holder: rest.holder });
  }

  return {
    /** Changes a pull request that doesn't exist: without the permission, GitHub refuses instead of answering 404. */
    async assertWritable(signal) {
      await rest.find(z.unknown(), { method: 'PATCH', path: `${path}/0`, body: {}, signal });
    },

    findPullRequest,

    async readPullRequest(number, signal) {
      const found = await rest.find(Pull, { path: `${path}/${number}`, signal });
      return found && toPullRequest(found);
    },

    async createPullRequest(request, signal) {
      try {
        return await create(request, signal);
      } catch (error) {
        if (!(error instanceof JobError) || error.code !== 'forge_rejected') throw error;
        if (request.isDraft && hasNoDrafts(error)) {
          return create({ ...request, isDraft: false }, signal);
        }
        const found = await findPullRequest(request.branch, signal);
        if (found?.state === 'open') return found;
        throw error;
      }
    },

    async updatePullRequest(number, { title, body, isDraft }, signal) {
      const change = { ...(title !== undefined && { title }), ...(body !== undefined && { body }) };
      const isChange = Object.keys(change).length > 0;
      const shown = await rest.find(Pull, {
        path: `${path}/${number}`,
        ...(isChange && { method: 'PATCH', body: change }),
        signal,
      });
      if (!shown) {
        throw new JobError('forge_rejected', `${repository} has no pull request #${number}.`);
      }
      if (isDraft === undefined || isDraft === shown.draft) return toPullRequest(shown);
      try {
        await changeDraft(shown.node_id, isDraft, signal);
      } catch (error) {
        if (!(error instanceof JobError) || !hasNoDrafts(error)) throw error;
        return toPullRequest(shown);
      }
      return { ...toPullRequest(shown), isDraft };
    },
  } satisfies Partial<Forge>;
}

/** Some plans have no drafts for private repositories. */
function hasNoDrafts({ message }: JobError): boolean {
  return /draft pull requests are not supported/i.test(message);
}

function toPullRequest(shown: z.output<typeof Pull>): PullRequest {
  return {
    number: shown.number,
    url: shown.html_url,
    state: shown.merged_at ? 'merged' : shown.state === 'open' ? 'open' : 'closed',
    endedAt: shown.merged_at ?? shown.closed_at ?? undefined,
    isDraft: shown.draft,
    head: { branch: shown.head.ref, commit: shown.head.sha },
    base: shown.base.ref,
    title: shown.title,
    body: shown.body ?? '',
  };
}
