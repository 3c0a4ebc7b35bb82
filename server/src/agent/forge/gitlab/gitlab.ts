/** GitLab, on gitlab.com and elsewhere. Its pull requests are merge requests. */
import { z } from 'zod';
import { JobError } from '../../../platform/errors.ts';
import { createVariableAccess } from '../remote/access.ts';
import { archived, mirrored, noCommits, switchedOff } from '../remote/failures.ts';
import type { HostKind } from '../remote/remote-forge.ts';
import { createGitLabTalk } from './talk.ts';
import { gitLabWords, tooFewRights } from './failures.ts';

const Access = z.object({ access_level: z.number() }).nullish();
/** Parts may be missing in old versions, and where a person has no right to see them. */
const Project = z.object({
  id: z.number(),
  default_branch: z.string().nullish(),
  archived: z.boolean().optional(),
  empty_repo: z.boolean().optional(),
  mirror: z.boolean().optional(),
  merge_requests_access_level: z.string().optional(),
  repository_access_level: z.string().optional(),
  permissions: z.object({ project_access: Access, group_access: Access }).optional(),
});

const states = { opened: 'open', locked: 'open', closed: 'closed', merged: 'merged' } as const;

const MergeRequest = z
  .object({
    iid: z.number(),
    web_url: z.string(),
    title: z.string(),
    description: z.string().nullish(),
    state: z.enum(['opened', 'closed', 'merged', 'locked']),
    draft: z.boolean().optional(),
    merged_at: z.string().nullish(),
    closed_at: z.string().nullish(),
    source_branch: z.string(),
    target_branch: z.string(),
    sha: z.string().nullish(),
    source_project_id: z.number().nullish(),
    target_project_id: z.number(),
  })
  .transform((shown) => ({
    number: shown.iid,
    url: shown.web_url,
    state: states[shown.state],
    endedAt: shown.merged_at ?? shown.closed_at ?? undefined,
    isDraft: shown.draft,
    head: { branch: shown.source_branch, commit: shown.sha ?? '' },
    isOwn: shown.source_project_id === shown.target_project_id,
    base: shown.target_branch,
    title: shown.title,
    body: shown.description ?? '',
  }));

const Branch = z.object({ commit: z.object({ id: z.string() }) });
const User = z.object({
  name: z.string(),
  email: z.string().nullish(),
  commit_email: z.string().nullish(),
});

/** https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const developer = 30;

export const gitlab: HostKind = {
  username: 'oauth2',
  authorization: (token) => `Bearer ${token}`,
  draftPrefix: 'Draft: ',
  words: () => gitLabWords,
  list: {
    path: '/projects',
    // https://docs.gitlab.com/api/projects/#list-all-projects
    query: { membership: 'true', min_access_level: developer, archived: 'false', per_page: 100 },
  },
  access: ({ project, secret }) => createVariableAccess(project.gitlab?.tokenEnv ?? '', secret),

  connect(rest, { repository, owner, name, holder }) {
    const at = `/projects/${encodeURIComponent(`${owner}/${name}`)}`;
    const requests = `${at}/merge_requests`;

    async function tip(branch: string, signal?: AbortSignal) {
      const path = `${at}/repository/branches/${encodeURIComponent(branch)}`;
      return (await rest.find(Branch, { path, signal }))?.commit.id;
    }

    async function usable(signal?: AbortSignal) {
      const found = await rest.ask(Project, { path: at, signal });
      if (found.archived) throw archived(repository);
      if (found.repository_access_level === 'disabled') throw switchedOff(repository, 'files');
      const { default_branch: branch } = found;
      if (!branch) throw noCommits(repository);
      // It's told late: just after the first push, the branch is there already.
      if (found.empty_repo && (await tip(branch, signal)) === undefined)
        throw noCommits(repository);
      return { ...found, branch };
    }

    return {
      talk: createGitLabTalk(rest, at),

      defaultBranch: async (signal) => (await usable(signal)).branch,

      async assertWritable(signal) {
        const found = await usable(signal);
        if (found.mirror) throw mirrored(repository);
        if (found.merge_requests_access_level === 'disabled') {
          throw switchedOff(repository, 'merge requests');
        }
        const { project_access: own, group_access: group } = found.permissions ?? {};
        const levels = [own, group].flatMap((one) => (one ? [one.access_level] : []));
        // Without any, for example for administrators, the calls that follow tell.
        if (levels.length > 0 && Math.max(...levels) < developer) {
          throw new JobError('forge_forbidden', tooFewRights(holder, repository));
        }
      },

      tip,

      async account(signal) {
        const user = await rest.ask(User, { path: '/user', signal });
        const email = user.commit_email || user.email;
        if (email) return { name: user.name, email };
        throw new JobError(
          'forge_not_configured',
          `The account of ${holder} has no email address; set “commitAuthor” of the project.`,
        );
      },

      pulls: {
        path: requests,
        method: 'PUT',
        schema: MergeRequest,
        toNew: ({ branch, base, title, body }) => ({
          source_branch: branch,
          target_branch: base,
          title,
          description: body,
        }),
        toChange: ({ body, ...change }) => ({
          ...change,
          ...(body !== undefined && { description: body }),
        }),

        async find(branch, signal) {
          const newest = { state: 'all', order_by: 'created_at', sort: 'desc', per_page: 100 };
          const query = { source_branch: branch, ...newest };
          const request = { path: requests, query, signal };
          const found = await rest.ask(z.array(MergeRequest), request);
          const own = found.filter(({ isOwn }) => isOwn);
          return own.find(({ state }) => state === 'open') ?? own[0];
        },
      },
    };
  },
};
