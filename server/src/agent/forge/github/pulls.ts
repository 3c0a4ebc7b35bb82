/** Pull requests at GitHub. */
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { JobError } from '../../../platform/errors.ts';
import type { Forge, NewPullRequest, PullRequest } from '../forge.ts';
import type { Ground } from './branches.ts';

type Shown =
  | RestEndpointMethodTypes['pulls']['get']['response']['data']
  | RestEndpointMethodTypes['pulls']['list']['response']['data'][number];

export function createPulls({ client, place, repository, holder }: Ground) {
  async function findPullRequest(
    branch: string,
    signal?: AbortSignal,
  ): Promise<PullRequest | undefined> {
    const { data } = await client.ask(
      (github, request) =>
        github.rest.pulls.list({
          ...place,
          head: `${place.owner}:${branch}`,
          state: 'all',
          sort: 'created',
          direction: 'desc',
          per_page: 10,
          request,
        }),
      { holder },
      signal,
    );
    // Where it does not know the branch, GitHub leaves the filter out.
    const of = data.filter(({ head }) => head.ref === branch).map(toPullRequest);
    return of.find(({ state }) => state === 'open') ?? of[0];
  }

  async function read(number: number, signal?: AbortSignal) {
    const missing = new JobError('internal', 'No such pull request.');
    try {
      const { data } = await client.ask(
        (github, request) => github.rest.pulls.get({ ...place, pull_number: number, request }),
        { holder, notFound: () => missing },
        signal,
      );
      return data;
    } catch (error) {
      if (error === missing) return undefined;
      throw error;
    }
  }

  async function create(request: NewPullRequest, signal?: AbortSignal): Promise<PullRequest> {
    const { branch, base, title, body, isDraft } = request;
    const { data } = await client.ask(
      (github, options) =>
        github.rest.pulls.create({
          ...place,
          head: branch,
          base,
          title,
          body,
          draft: isDraft,
          request: options,
        }),
      { holder, branch },
      signal,
    );
    return toPullRequest(data);
  }

  /** Only GraphQL turns a pull request into a draft, or a draft into one. */
  async function changeDraft(id: string, isDraft: boolean, signal?: AbortSignal): Promise<void> {
    const change = isDraft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview';
    await client.ask(
      (github, request) =>
        github.graphql(
          `mutation ($id: ID!) { change: ${change}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`,
          { id, request },
        ),
      { holder },
      signal,
    );
  }

  return {
    /** Changes a pull request that does not exist: who may not is refused, who may is told that there is none. */
    async assertWritable(signal) {
      const missing = new JobError('internal', 'No such pull request.');
      try {
        await client.ask(
          (github, request) => github.rest.pulls.update({ ...place, pull_number: 0, request }),
          { holder, notFound: () => missing },
          signal,
        );
      } catch (error) {
        if (error !== missing) throw error;
      }
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
              ...place,
              pull_number: number,
              ...(title !== undefined && { title }),
              ...(body !== undefined && { body }),
              request,
            }),
          { holder, notFound: missing },
          signal,
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
    isDraft: shown.draft ?? false,
    head: { branch: shown.head.ref, commit: shown.head.sha },
    base: shown.base.ref,
    title: shown.title,
    body: shown.body ?? '',
    isMergeable: 'mergeable' in shown ? (shown.mergeable ?? undefined) : undefined,
  };
}
