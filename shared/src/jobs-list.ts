/** Jobs of an organization, and links that share a page. Not in the service document. */
import { z } from 'zod';
import { AgentJob } from './agent.ts';

export const ProjectsReply = z.object({
  projects: z.array(
    z.object({
      id: z.string(),
      repository: z.string(),
      /** The site that is built from it. */
      site: z.string().nullable(),
      /** Null: without a model, jobs take commands. */
      model: z.string().nullable(),
      /** `dashboard`: somebody connected it there. */
      from: z.enum(['file', 'dashboard']),
      docsRoot: z.string(),
      baseBranch: z.string().nullable(),
      draft: z.enum(['always', 'never', 'caller']),
      labels: z.array(z.string()),
      reviewers: z.array(z.string()),
    }),
  ),
  /** Names of models that projects may have. */
  models: z.array(z.string()),
});
export type ProjectsReply = z.output<typeof ProjectsReply>;

export const AllJobsQuery = z.strictObject({
  project: z.string().max(200).optional(),
  status: z.enum(['active', 'completed', 'failed']).optional(),
  cursor: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

export const AllJobsReply = z.object({
  jobs: z.array(AgentJob.extend({ project: z.string() })),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
});
export type AllJobsReply = z.output<typeof AllJobsReply>;

const shareDaysMax = 90;

export const ShareRequest = z.strictObject({
  project: z.string().min(1).max(200),
  /** A job or a pull request of a repository on the machine of the service. */
  page: z.enum(['job', 'pull']),
  /** The job's ID or the pull request's number. */
  id: z.string().min(1).max(100),
  days: z.int().min(1).max(shareDaysMax).default(7),
});

export const Share = z.object({
  id: z.string(),
  project: z.string(),
  page: z.enum(['job', 'pull']),
  pageId: z.string(),
  createdBy: z.object({ id: z.string(), name: z.string() }),
  createdAt: z.string(),
  expiresAt: z.string(),
});
export type Share = z.output<typeof Share>;

export const SharesReply = z.object({ shares: z.array(Share) });
export type SharesReply = z.output<typeof SharesReply>;
export const NewShareReply = z.object({
  share: Share,
  /** The address, which is shown this once. */
  url: z.string(),
});
export type NewShareReply = z.output<typeof NewShareReply>;
