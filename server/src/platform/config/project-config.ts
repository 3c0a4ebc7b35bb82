import { trimEndOf } from '../text.ts';
import { z } from 'zod';
import { branchNameMistake } from './repository-address.ts';
import {
  amount,
  count,
  flag,
  list,
  matching,
  name,
  object,
  oneOf,
  privateHosts,
  range,
  section,
  text,
  variable,
  webAddress,
  write,
} from './fields.ts';
import { pullLabel, pullReviewer } from '@docent/shared/connections';
import { webhookEvents } from '@docent/shared/webhooks';

const known = webhookEvents.map((event) => `"${event}"`).join(', ');

const Webhook = object(
  'an object such as { url: "https://ops.example.com/hooks/docs", secretEnv: "DOCS_WEBHOOK_SECRET" }',
  {
    url: webAddress('https://ops.example.com/hooks/docs', { keepSlash: true }),
    /** The variable with the secret that signs messages. */
    secretEnv: variable,
    /** During a rotation, the previous secret. Messages are signed with both. */
    previousSecretEnv: variable.optional(),
    /** The default is all events. */
    events: z
      .array(z.enum(webhookEvents, write(`events: ${known}`)), write(`a list of events: ${known}`))
      .min(1, write(`at least one event: ${known}`))
      .default([...webhookEvents]),
    /** Hosts of your own network that may receive messages. By default, only the public Internet. */
    allowPrivateHosts: privateHosts,
  },
);

const WebhooksConfig = list('a list of webhooks', Webhook);

const branchName = text('the name of a branch, such as "main"').refine(
  (name) => branchNameMistake(name) === undefined,
  write('the name of a branch, such as "main"'),
);

const PullLabel = matching(pullLabel, 'a label such as "documentation"');
const PullReviewer = matching(pullReviewer, 'a name at the host such as "lena", or "team:docs"');

const glob = text('a pattern of paths, such as "docs/**"');

/** How the service signs in to GitHub: with a token, or as an App. */
const GitHubAccess = object('an object such as { "tokenEnv": "DOCS_GITHUB_TOKEN" }', {
  /** The variable with a token that may write contents and pull requests. */
  tokenEnv: variable.optional(),
  app: z
    .strictObject({
      id: z
        .union([z.number().int().positive(), z.string().regex(/^[\w.-]+$/)], {
          error: 'must be the App’s id or client id, such as 123456',
        })
        .transform(String),
      /** The variable with the App’s private key (PEM). */
      privateKeyEnv: variable,
      /** By default, the installation on the repository. */
      installationId: count('the number of the installation').optional(),
    })
    .optional(),
  /** For GitHub Enterprise Server. By default, it follows from the repository’s address. */
  apiUrl: webAddress('https://github.example.com/api/v3').optional(),
});

/** What people say about pull requests at their host becomes follow-up instructions. */
const ConversationConfig = object('an object such as { "secretEnv": "DOCS_HOOK_SECRET" }', {
  /** The variable with the secret of the host’s webhook. */
  secretEnv: variable,
  /** The name to call it by: `docent` for `@docent`. */
  mention: matching(/^[\w-]{1,40}$/, 'a name such as "docent", without "@"').default('docent'),
  /** Messages of people per pull request. */
  maxMessages: count('a number of messages').default(20),
  /** Whether failed checks of its commits go back to the agent, twice at most. */
  repairChecks: flag(true),
});

const giteaHint = write('an object such as { "tokenEnv": "DOCS_GITEA_TOKEN" }');
const gitLabHint = write('an object such as { "tokenEnv": "DOCS_GITLAB_TOKEN" }');

/** The hosts of repositories beside GitHub. A project names one. */
const otherForges = {
  /** Gitea or Forgejo: the variable with a token that may write the repository and read its user. */
  gitea: z.strictObject({ tokenEnv: variable }, giteaHint).optional(),
  gitlab: z
    .strictObject(
      {
        /** The variable with a token of the scope `api`. */
        tokenEnv: variable,
        /** GitLab's address, if it's below a path. */
        url: webAddress('https://example.com/gitlab').optional(),
      },
      gitLabHint,
    )
    .optional(),
};

/** Code that the documentation explains. It's read, and never written. */
const CodeRepository = object(
  'an object such as { "name": "server", "repository": "https://github.com/acme/server" }',
  {
    /** What automations and the agent call it. */
    name: matching(/^[a-z0-9][\w.-]{0,39}$/i, 'a name such as "server"'),
    /** An address, or the path of a repository on this machine. */
    repository: text('an address such as "https://github.com/acme/server", or a path'),
    /** The default is the repository’s default branch. */
    branch: branchName.optional(),
    /** The variable with a token that may read it. */
    tokenEnv: variable.optional(),
    username: text('a user name').default('x-access-token'),
  },
);
export type CodeRepository = z.output<typeof CodeRepository>;

/** What one run of a job may cost. */
const JobLimits = section('an object such as { "steps": 40, "minutes": 20 }', {
  steps: count('the maximum number of requests to the model').default(60),
  tokens: count('the maximum number of tokens').default(2_000_000),
  dollars: amount('US dollars, such as 5').default(10),
  minutes: amount('minutes, such as 30').default(30),
  /** How long the model may be silent. */
  idleSeconds: amount('seconds, such as 120').default(120),
});

/** `draft`: the pull request is a draft that says what to check; `block`: there is no pull request. */
const consequence = oneOf(['draft', 'block', 'allow']);

/** What a change may contain before a person must look at it or allow it. */
const GuardConfig = section('an object such as { "files": 50, "newHosts": "block" }', {
  /** A change of more files needs `allowLarge` in the request. */
  files: count('a number of files').default(100),
  /** A change that deletes a larger share of the lines of its files needs `allowLarge` in the request. */
  deletedPercent: range('a number', 1, 100).default(50),
  /** Addresses of new hosts (`agent/workspace/new-hosts.ts`). */
  newHosts: consequence.default('draft'),
  /** Scripts, frames, event handlers, MDX expressions, and programs. */
  newCode: consequence.default('draft'),
  /** Hosts that pages may always name. `*.acme.com` means all hosts below it. */
  hosts: z
    .array(
      matching(
        /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i,
        'a host such as "acme.com" or "*.acme.com"',
      ).transform((host) => host.toLowerCase()),
    )
    .default([]),
});
export type GuardConfig = z.output<typeof GuardConfig>;

const onOff = (what: string) => z.boolean(write(`true or false: whether ${what}`)).default(true);

/** The checks that a change must pass before it becomes a pull request. */
export const ChecksConfig = section('an object such as { "onFailure": "draft" }', {
  links: onOff('links must lead to pages'),
  anchors: onOff('links must lead to headings'),
  images: onOff('images must exist'),
  /** With the path of a JSON schema in the repository, each page’s frontmatter must match it. */
  frontmatter: z
    .union([z.boolean(), z.string().regex(/^(?!\/)(?!.*\.\.).+\.json$/)], {
      error:
        'must be true, false, or the path of a JSON schema in the repository, such as "docs/frontmatter.schema.json"',
    })
    .default(true),
  navigation: onOff('entries of the navigation must lead to pages'),
  fences: onOff('code blocks must be closed'),
  mdx: onOff('MDX must be valid'),
  /** `fail`: the job fails; `draft`: the pull request is a draft that lists the problems. */
  onFailure: oneOf(['fail', 'draft']).default('fail'),
});
export type ChecksConfig = z.output<typeof ChecksConfig>;

/** A documentation project that agent jobs may work on. */
export const ProjectConfig = z.strictObject({
  id: name('the project’s identifier', 'acme-docs'),
  organization: name('whose project it is', 'acme'),
  /** An address at GitHub, Gitea, Forgejo, or GitLab, or the path of a bare repository on this machine. Jobs need one. */
  repository: text('an address such as "https://github.com/acme/docs", or a path').optional(),
  github: GitHubAccess.optional(),
  ...otherForges,
  /** The default is the repository’s default branch. */
  baseBranch: branchName.optional(),
  /** Folder of the documentation in the repository; the agent stays inside. */
  docsRoot: z
    .string(write('a folder such as "docs"'))
    .default('')
    .transform((path) => trimEndOf(path, '/').replace(/^\.?\/+/, '')),
  /** Domain of the project’s site. Its readers’ feedback belongs to this project. */
  site: z.string(write('the domain of one of "sites"')).optional(),
  /** A name of `models`. Without it, jobs take commands instead of instructions in words. */
  model: z.string(write('the name of one of "models"')).optional(),
  branchPrefix: matching(/^[\w][\w./-]{0,60}$/, 'the beginning of a branch name, such as "docent/"')
    .refine(
      (prefix) => branchNameMistake(`${prefix}x`) === undefined,
      write('the beginning of a branch name, such as "docent/"'),
    )
    .default('docent/'),
  /** Who commits. By default, local repositories name Docent, and others the token's owner or the App. */
  commitAuthor: object('an object such as { "name": "Docs Bot", "email": "docs-bot@acme.dev" }', {
    name: matching(/^[^<>\p{Cc}]{1,100}$/u, 'a name such as "Docs Bot", without "<" and ">"'),
    email: matching(/^[^<>\s@]+@[^<>\s@]+$/, 'an address such as "docs-bot@acme.dev"'),
  }).optional(),
  /** Whether pull requests are drafts; `caller`: as the request says. The model can’t change it. */
  draft: oneOf(['always', 'never', 'caller']).default('caller'),
  /** What new pull requests get at the host. */
  pullRequest: section('an object such as { "labels": ["documentation"] }', {
    labels: list('a list of labels', PullLabel),
    /** People by their names at the host, and teams. */
    reviewers: list('a list of names', PullReviewer),
  }),
  paths: section('an object such as { "protect": ["legal/**"] }', {
    /** Only these files below `docsRoot`. */
    allow: z.array(glob).optional(),
    /** Files outside `docsRoot` that the agent may read, such as code that the pages explain. */
    read: z.array(glob).default([]),
    /** More protected files. */
    protect: z.array(glob).default([]),
    /** Files that are protected by default, but not here. */
    unprotect: z.array(glob).default([]),
    /** `block`: the agent can’t write them; `draft`: it can, and the pull request is a draft that names them. */
    onProtected: oneOf(['block', 'draft']).default('block'),
  }),
  code: z
    .array(CodeRepository, write('a list of repositories with code'))
    .max(10, write('at most 10 repositories'))
    .default([]),
  automations: section('an object such as { "maxOpen": 3 }', {
    /** Pull requests of automations that may be open at the same time. */
    maxOpen: count('a number of pull requests').default(5),
  }),
  guard: GuardConfig,
  limits: JobLimits,
  checks: ChecksConfig,
  webhooks: WebhooksConfig,
  conversation: ConversationConfig.optional(),
});
export type ProjectConfig = z.output<typeof ProjectConfig>;
