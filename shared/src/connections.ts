/** Hosts of repositories that were connected in the dashboard, and their projects. Not in the service document. */
import { z } from 'zod';

const ForgeName = z.enum(['github', 'gitea', 'gitlab']);
export type ForgeName = z.output<typeof ForgeName>;

const address = z
  .string()
  .max(300)
  .regex(/^https?:\/\/\S+$/, 'must be a full address, such as https://git.example.com')
  .transform((value) => value.replace(/\/{1,9}$/, ''));

/** Never with its credentials. */
export const Connection = z.object({
  id: z.string(),
  forge: ForgeName,
  /** The host's address. */
  url: z.string(),
  /** The account of the token, or the name of the GitHub App. */
  account: z.string(),
  /** The page of the GitHub App where it's installed; null: it's a token. */
  installUrl: z.string().nullable(),
  /** Where the host sends its events; null: it doesn't. */
  hook: z.string().nullable(),
  /** `isUsed`: false where the configuration has one with this name. */
  projects: z.array(z.object({ id: z.string(), isUsed: z.boolean() })),
  /** By their domains. */
  sites: z.array(z.object({ id: z.string(), isUsed: z.boolean() })),
  createdAt: z.iso.datetime(),
});
export type Connection = z.output<typeof Connection>;
export const ConnectionsReply = z.object({ connections: z.array(Connection) });
export type ConnectionsReply = z.output<typeof ConnectionsReply>;

export const ConnectRequest = z.strictObject({
  forge: ForgeName,
  url: address,
  token: z.string().max(2_000).regex(/^\S+$/, 'must be a token without spaces'),
});

export const ReplaceTokenRequest = ConnectRequest.pick({ token: true });

export type ConnectRequest = z.output<typeof ConnectRequest>;

export const ConnectReply = z.object({
  connection: Connection,
  /** For the webhook at the host, and shown once. */
  hookSecret: z.string(),
});
export type ConnectReply = z.output<typeof ConnectReply>;

export const BeginAppRequest = z.strictObject({
  /** GitHub's address, or that of a GitHub Enterprise Server. */
  url: address.default('https://github.com'),
  /** The organization at GitHub that owns the App; by default, the person who creates it. */
  owner: z
    .string()
    .regex(/^[\w-]{0,100}$/, 'must be the name of an organization at GitHub')
    .default(''),
  /** The service's address for GitHub; null: no webhook, because GitHub can't reach it. */
  hookUrl: address.nullable().default(null),
});
export type BeginAppRequest = z.output<typeof BeginAppRequest>;

export const BeginAppReply = z.object({
  /** A page that leads on to GitHub, below the service's address. It works once. */
  page: z.string(),
});
export type BeginAppReply = z.output<typeof BeginAppReply>;

/** What GitHub adds to the address that it returns to. */
export const FinishAppRequest = z.strictObject({
  code: z.string().regex(/^[\w-]{1,200}$/),
  state: z.string().max(200),
});
export const InstalledRequest = z.strictObject({ installationId: z.int().positive() });

export const ConnectionReply = z.object({ connection: Connection });
export type ConnectionReply = z.output<typeof ConnectionReply>;

export const RepositoriesReply = z.object({
  repositories: z.array(
    z.object({
      /** `owner/name`, as its host writes it. */
      path: z.string(),
      url: z.string(),
      /** That it's a project already. */
      project: z.string().nullable(),
    }),
  ),
});
export type RepositoriesReply = z.output<typeof RepositoriesReply>;

/** `owner/name` */
export const RepositoryPath = z
  .string()
  .regex(/^[\w.+-]+(?:\/[\w.+-]+){1,20}$/, 'must be an owner and a name, such as acme/docs');
export const RepositoryFolder = z
  .string()
  .max(200)
  .regex(/^(?!.*\.\.)[^\\]*$/, 'must be a folder of the repository, such as docs');

/** Hosts separate labels by commas. */
export const pullLabel = /^[^,\p{Cc}]{1,100}$/u;
/** A login at the host, or `team:` and the name of a team. */
export const pullReviewer = /^(?:team:)?[\w.-]{1,100}(?:\[bot\])?$/;

/** What is wrong with one of them is said of all, as a form has one field for them. */
const names = (pattern: RegExp, message: string) =>
  z
    .array(z.string().max(200))
    .max(20)
    .refine((all) => all.every((one) => pattern.test(one)), message)
    .default([]);

/** The same as in the configuration file. */
export const ChangeProjectRequest = z.strictObject({
  docsRoot: RepositoryFolder.default(''),
  /** Where pull requests go; null: the repository's default branch. */
  baseBranch: z
    .string()
    .max(200)
    .regex(/^(?!-)[\w./@+-]+$/, 'must be the name of a branch, such as main')
    .nullable()
    .default(null),
  /** Whether pull requests are drafts; `caller`: as the request says. */
  draft: z.enum(['always', 'never', 'caller']).default('caller'),
  /** Of new pull requests. */
  labels: names(pullLabel, 'must be labels of up to 100 characters'),
  reviewers: names(pullReviewer, 'must be names at the host, such as lena or team:docs'),
  site: z.string().max(300).nullable().default(null),
  model: z.string().max(200).nullable().default(null),
});
export type ChangeProjectRequest = z.output<typeof ChangeProjectRequest>;

export const AddProjectRequest = ChangeProjectRequest.extend({
  connection: z.string().max(100),
  repository: RepositoryPath,
  id: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,62}$/,
      'must be lowercase letters, digits, "-", "_" or ".", such as "acme-docs"',
    ),
});

export type AddProjectRequest = z.output<typeof AddProjectRequest>;

export const AddProjectReply = z.object({
  id: z.string(),
  /** What was found in the repository. */
  checks: z.array(z.string()),
});
export type AddProjectReply = z.output<typeof AddProjectReply>;

/** How a project's host is doing. */
export const HostHealthReply = z.object({
  forge: z.enum(['github', 'gitea', 'gitlab', 'local', 'none']),
  /** The host of the connection, and whose it is; null: the project is in the configuration. */
  connection: z.object({ id: z.string(), url: z.string(), account: z.string() }).nullable(),
  lastEvent: z.object({ name: z.string(), at: z.iso.datetime() }).nullable(),
  /** What jobs need; it ends with the first that fails. */
  checks: z.array(
    z.object({ passed: z.boolean(), says: z.string(), remedy: z.string().nullable() }),
  ),
  /** Null: the host doesn't say. */
  rateLimit: z
    .object({ limit: z.number(), left: z.number(), resetsAt: z.iso.datetime() })
    .nullable(),
  /** Open ones of jobs, newest first, at most ten. `unknown`: the host doesn't let us see. */
  pulls: z.array(
    z.object({
      number: z.number(),
      title: z.string(),
      url: z.string(),
      checks: z.enum(['passing', 'failing', 'running', 'none', 'unknown']),
      review: z.enum(['approved', 'changes_requested', 'none', 'unknown']),
    }),
  ),
});
export type HostHealthReply = z.output<typeof HostHealthReply>;
