/** Gitea and Forgejo, which have the same API. */
import { z } from 'zod';
import { JobError } from '../../../platform/errors.ts';
import { createVariableAccess } from '../remote/access.ts';
import { archived, mirrored, noCommits, switchedOff } from '../remote/failures.ts';
import type { HostKind } from '../remote/remote-forge.ts';
import { createGiteaTalk } from './talk.ts';
import { giteaWords, tooFewRights } from './failures.ts';

const Repository = z.object({
  default_branch: z.string(),
  archived: z.boolean(),
  empty: z.boolean(),
  mirror: z.boolean(),
  has_code: z.boolean().optional(),
  has_pull_requests: z.boolean(),
  permissions: z.object({ push: z.boolean() }).optional(),
});

const Pull = z
  .object({
    number: z.number(),
    html_url: z.string(),
    title: z.string(),
    body: z.string().nullish(),
    state: z.enum(['open', 'closed']),
    /** Old versions don't have it. */
    draft: z.boolean().optional(),
    merged: z.boolean(),
    merged_at: z.string().nullish(),
    closed_at: z.string().nullish(),
    // `ref` is no branch any more where the branch is gone; `label` stays.
    head: z.object({ label: z.string(), sha: z.string(), repo_id: z.number() }),
    base: z.object({ ref: z.string(), repo_id: z.number() }),
  })
  .transform((shown) => ({
    number: shown.number,
    url: shown.html_url,
    state: shown.merged ? ('merged' as const) : shown.state,
    endedAt: shown.merged_at ?? shown.closed_at ?? undefined,
    isDraft: shown.draft,
    head: { branch: shown.head.label, commit: shown.head.sha },
    isOwn: shown.head.repo_id === shown.base.repo_id,
    base: shown.base.ref,
    title: shown.title,
    body: shown.body ?? '',
  }));

const Branch = z.object({ commit: z.object({ id: z.string() }) });
const User = z.object({ login: z.string(), full_name: z.string().optional(), email: z.string() });

/** The API has no filter for branches. Nobody looks for a closed one that hundreds were closed after. */
const maxPages = { open: 40, closed: 4 };

export const gitea: HostKind = {
  username: 'docent',
  authorization: (token) => `token ${token}`,
  draftPrefix: 'WIP: ',
  words: giteaWords,
  list: { path: '/user/repos', query: { limit: 50 } },
  access: ({ project, secret }) => createVariableAccess(project.gitea?.tokenEnv ?? '', secret),

  connect(rest, { repository, owner, name, holder }) {
    const at = `/repos/${owner}/${name}`;

    async function tip(branch: string, signal?: AbortSignal) {
      const path = `${at}/branches/${branch.split('/').map(encodeURIComponent).join('/')}`;
      return (await rest.find(Branch, { path, signal }))?.commit.id;
    }

    async function usable(signal?: AbortSignal) {
      const found = await rest.ask(Repository, { path: at, signal });
      if (found.archived) throw archived(repository);
      // It's told late: just after the first push, the branch is there already.
      if (found.empty && (await tip(found.default_branch, signal)) === undefined) {
        throw noCommits(repository);
      }
      if (found.has_code === false) throw switchedOff(repository, 'files');
      return found;
    }

    return {
      talk: createGiteaTalk(rest, at),

      defaultBranch: async (signal) => (await usable(signal)).default_branch,

      async assertWritable(signal) {
        const { mirror, has_pull_requests: hasPulls, permissions } = await usable(signal);
        if (mirror) {
          throw mirrored(repository);
        }
        if (!hasPulls) throw switchedOff(repository, 'pull requests');
        if (permissions?.push === false) {
          throw new JobError('forge_forbidden', tooFewRights(holder, repository));
        }
      },

      tip,

      async account(signal) {
        const {
          login,
          full_name: fullName,
          email,
        } = await rest.ask(User, { path: '/user', signal });
        return { name: fullName || login, email };
      },

      pulls: {
        path: `${at}/pulls`,
        method: 'PATCH',
        schema: Pull,
        toNew: ({ branch, base, title, body }) => ({ head: branch, base, title, body }),

        async find(branch, signal) {
          try {
            for (const state of ['open', 'closed'] as const) {
              const query = { state, sort: 'recentupdate', limit: 50 };
              const request = { path: `${at}/pulls`, query, signal };
              for await (const page of rest.pages(z.array(Pull), request, maxPages[state])) {
                const [newest] = page
                  .filter(({ head, isOwn }) => head.branch === branch && isOwn)
                  .toSorted((one, other) => other.number - one.number);
                if (newest) return newest;
              }
            }
          } catch (error) {
            if (!(error instanceof JobError) || error.code !== 'repository_not_found') throw error;
            // The list is missing as a whole where pull requests are off, and just after the first push.
            const { has_pull_requests: hasPulls } = await usable(signal);
            if (!hasPulls) throw switchedOff(repository, 'pull requests');
          }
          return undefined;
        },
      },
    };
  },
};
