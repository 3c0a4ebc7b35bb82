/**
 * GitHub and GitHub Enterprise. Commits are written by the Git Data API, so that no git of ours holds
 * credentials or checks anything out; files are read by a `git fetch` that sees only our own process.
 */
import { z } from 'zod';
import { isMoved, type Move } from '../bare-history.ts';
import type { Forge } from '../forge.ts';
import { archived } from '../remote/failures.ts';
import type { HostKind } from '../remote/remote-forge.ts';
import type { RestRequest } from '../remote/rest.ts';
import { openAccess } from './access.ts';
import { createCommits } from './commits.ts';
import { createOctokitExchange } from './exchange.ts';
import { gitHubWords, refusedByGraph } from './failures.ts';
import { createTalk } from './talk.ts';

const Repository = z.object({ default_branch: z.string(), archived: z.boolean() });
const Ref = z.object({ object: z.object({ sha: z.string() }) });
const Pull = z
  .object({
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
  })
  .transform((shown) => ({
    number: shown.number,
    url: shown.html_url,
    state: shown.merged_at
      ? ('merged' as const)
      : shown.state === 'open'
        ? ('open' as const)
        : ('closed' as const),
    endedAt: shown.merged_at ?? shown.closed_at ?? undefined,
    isDraft: shown.draft,
    head: { branch: shown.head.ref, commit: shown.head.sha },
    base: shown.base.ref,
    title: shown.title,
    body: shown.body ?? '',
  }));
const Node = z.object({ node_id: z.string() });
const Changed = z.object({
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).default([]),
});
const RateLimit = z.object({
  resources: z.object({
    core: z.object({ limit: z.number(), remaining: z.number(), reset: z.number() }),
  }),
});

export const github: HostKind = {
  username: 'x-access-token',
  authorization: (token) => `Bearer ${token}`,
  accept: 'application/vnd.github+json',
  exchange: createOctokitExchange,
  draftPrefix: undefined,
  words: () => gitHubWords,
  list: { path: '/user/repos', query: { per_page: 100, sort: 'pushed' } },
  access: openAccess,

  connect(rest, { repository, owner, name, holder }) {
    const at = `/repos/${owner}/${name}`;
    const pulls = `${at}/pulls`;

    const tip: Forge['tip'] = async (branch, signal) => {
      const path = `${at}/git/ref/heads/${pathOf(branch)}`;
      return (await rest.find(Ref, { path, branch, signal }))?.object.sha;
    };

    const move = (to: Move, request: RestRequest): Promise<boolean> =>
      isMoved(to, () => rest.send({ ...request, branch: to.branch }), tip, request.signal);

    return {
      talk: createTalk(rest, at),
      tip,
      account: () => Promise.reject(new Error('GitHub knows who commits')),

      async defaultBranch(signal) {
        const found = await rest.ask(Repository, { path: at, signal });
        if (found.archived) throw archived(repository);
        return found.default_branch;
      },

      async rateLimit(signal) {
        const { resources } = await rest.ask(RateLimit, { path: '/rate_limit', signal });
        const { limit, remaining: left, reset } = resources.core;
        return { limit, left, resetsAt: new Date(reset * 1000).toISOString() };
      },

      async assertWritable(signal) {
        // An empty file that nothing refers to: the least that can be written, and GitHub deletes it.
        const empty = { content: '' };
        await rest.send({ method: 'POST', path: `${at}/git/blobs`, body: empty, signal });
      },

      pulls: {
        path: pulls,
        method: 'PATCH',
        schema: Pull,
        toNew: ({ branch, isDraft, ...rest }) => ({ ...rest, head: branch, draft: isDraft }),

        async find(branch, signal) {
          const newest = { state: 'all', sort: 'created', direction: 'desc', per_page: 10 };
          const query = { head: `${owner}:${branch}`, ...newest };
          const found = await rest.ask(z.array(Pull), { path: pulls, query, signal });
          // If GitHub doesn't know the branch, it ignores the filter.
          const own = found.filter(({ head }) => head.branch === branch);
          return own.find(({ state }) => state === 'open') ?? own[0];
        },

        /** Only GraphQL changes whether a pull request is a draft. */
        async setDraft(number, isDraft, signal) {
          const { node_id: id } = await rest.ask(Node, { path: `${pulls}/${number}`, signal });
          const change = isDraft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview';
          const query = `mutation ($id: ID!) { change: ${change}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`;
          const { errors } = await rest.ask(Changed, {
            method: 'POST',
            path: `${rest.apiUrl.replace(/\/v3$/, '')}/graphql`,
            body: { query, variables: { id } },
            signal,
          });
          if (errors.length > 0) throw refusedByGraph(errors, { repository, holder });
        },
      },

      writer: (openTree, author) => ({
        ...createCommits(rest, at, openTree, author),

        createBranch(branch, commit, signal) {
          const body = { ref: `refs/heads/${branch}`, sha: commit };
          const request = { method: 'POST', path: `${at}/git/refs`, body, signal } as const;
          return move({ branch, from: undefined, to: commit }, request);
        },

        async advanceBranch(branch, { from, to }, signal) {
          // GitHub only checks that the branch moves forward, so commits that somebody took back could return.
          const now = await tip(branch, signal);
          if (now !== from) return now === to;
          const path = `${at}/git/refs/heads/${pathOf(branch)}`;
          const body = { sha: to, force: false };
          return move({ branch, from, to }, { method: 'PATCH', path, body, signal });
        },
      }),
    };
  },
};

const pathOf = (branch: string) => branch.split('/').map(encodeURIComponent).join('/');
