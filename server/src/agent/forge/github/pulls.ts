/** Pull requests at GitHub. */
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { JobError } from '../../../platform/errors.ts';
import type { Forge, NewPullRequest, PullRequest } from '../forge.ts';
import type { GitHubRepository } from './branches.ts';

type Shown =
  | RestEndpointMethodTypes['pulls']['get']['response']['data']
  | RestEndpointMethodTypes['pulls']['list']['response']['data'][number];

export function createPulls({ client, repo, repository }: GitHubRepository) {
  async function findPullRequest(
    branch: string,
    signal?: AbortSignal,
  ): Promise<PullRequest | undefined> {
    const { data } = await client.ask(
      (github, request) =>
        github.rest.pulls.list({
          ...repo,
          head: `${repo.owner}:${branch}`,
          state: 'all',
          sort: 'created',
          direction: 'desc',
          per_page: 10,
          request,
        }),
      { signal },
    );
    // If GitHub doesn't know the branch, it ignores the filter.
    const own = data.filter(({ head }) => head.ref === branch).map(toPullRequest);
    return own.find(({ state }) => state === 'open') ?? own[0];
  }

  async function read(number: number, signal?: AbortSignal) {
    const found = await client.find(
      (github, request) => github.rest.pulls.get({ ...repo, pull_number: number, request }),
      { signal },
    );
    return found?.data;
  }

  async function create(request: NewPullRequest, signal?: AbortSignal): Promise<PullRequest> {
    const { branch, base, title, body, isDraft } = request;
    const { data } = await client.ask(
      (github, options) =>
        github.rest.pulls.create({
          ...repo,
          head: branch,
          base,
          title,
          body,
          draft: isDraft,
          request: options,
        }),
      { branch, signal },
    );
    return toPullRequest(data);
  }

  /** Only GraphQL changes whether a pull request is a draft. */
  async function changeDraft(id: string, isDraft: boolean, signal?: AbortSignal): Promise<void> {
    const change = isDraft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview';
    await client.ask(
      (github, request) =>
        github.graphql(
          `mutation ($id: ID!) { change: ${change}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`,
          { id, request },
        ),
      { signal },
    );
  }

  return {
    /** Changes a pull request that doesn't exist: without the permission, GitHub refuses instead of answering 404. */
    async assertWritable(signal) {
      await client.find(
        (github, request) => github.rest.pulls.update({ ...repo, pull_number: 0, request }),
        { signal },
      );
    },

    findPullRequest,

    async readPullRequest(number, signal) {
      const found = await read(number, signal);
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
      const missing = () =>
        new JobError('forge_rejected', `${repository} has no pull request #${number}.`);
      let shown: Shown | undefined;
      if (title !== undefined || body !== undefined) {
        const { data } = await client.ask(
          (github, request) =>
            github.rest.pulls.update({
              ...repo,
              pull_number: number,
              ...(title !== undefined && { title }),
              ...(body !== undefined && { body }),
              request,
            }),
          { notFound: missing, signal },
        );
        shown = data;
      } else {
        shown = await read(number, signal);
      }
      if (!shown) throw missing();
      if (isDraft === undefined || isDraft === (shown.draft ?? false)) return toPullRequest(shown);
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

function toPullRequest(shown: Shown): PullRequest {
  return {
    number: shown.number,
    url: shown.html_url,
    state: shown.merged_at === null ? (shown.state === 'open' ? 'open' : 'closed') : 'merged',
    endedAt: shown.merged_at ?? shown.closed_at ?? undefined,
    isDraft: shown.draft ?? false,
    head: { branch: shown.head.ref, commit: shown.head.sha },
    base: shown.base.ref,
    title: shown.title,
    body: shown.body ?? '',
  };
}
