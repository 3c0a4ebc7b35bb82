import { z } from 'zod';
import { ChecksConfig } from './checks-config.ts';
import { branchNameMistake } from './branch-names.ts';
import { count, name, variable, webAddress, write } from './fields.ts';
import { GuardConfig } from './guard-config.ts';
import { WebhooksConfig } from './webhooks-config.ts';

const branchName = z
  .string(write('the name of a branch, such as "main"'))
  .refine(
    (name) => branchNameMistake(name) === undefined,
    write('the name of a branch, such as "main"'),
  );

const glob = z
  .string(write('a pattern of paths, such as "docs/**"'))
  .min(1, write('a pattern of paths, such as "docs/**"'));

/** How the service proves who it is at GitHub: a token, or an App. */
const GitHubAccess = z.strictObject(
  {
    /** Names the variable that holds a token with write access to contents and pull requests. */
    tokenEnv: variable.optional(),
    app: z
      .strictObject({
        id: z
          .union([z.number().int().positive(), z.string().regex(/^[\w.-]+$/)], {
            error: 'must be the App’s id or client id, such as 123456',
          })
          .transform(String),
        /** Names the variable that holds the App’s private key (PEM). */
        privateKeyEnv: variable,
        /** Found by the repository where it is left out. */
        installationId: count('the number of the installation').optional(),
      })
      .optional(),
    /** Of GitHub Enterprise Server; found by the repository’s address where it is left out. */
    apiUrl: webAddress('https://github.example.com/api/v3').optional(),
  },
  write('an object such as { "tokenEnv": "DOCS_GITHUB_TOKEN" }'),
);

/** What one run of a job may cost. */
const JobLimits = z
  .strictObject(
    {
      steps: count('how many times the model may be asked').default(60),
      tokens: count('how many tokens the model may take').default(2_000_000),
      dollars: z
        .number(write('US dollars, such as 5'))
        .positive(write('US dollars, such as 5'))
        .default(10),
      minutes: z
        .number(write('minutes, such as 30'))
        .positive(write('minutes, such as 30'))
        .default(30),
      /** How long the model may say nothing. */
      idleSeconds: z
        .number(write('seconds, such as 120'))
        .positive(write('seconds, such as 120'))
        .default(120),
    },
    write('an object such as { "steps": 40, "minutes": 20 }'),
  )
  .prefault({});

/** A documentation project that agent jobs may work on. */
export const ProjectConfig = z.strictObject({
  id: name('the project’s identifier', 'acme-docs'),
  organization: name('whose project it is', 'acme'),
  /** An address at GitHub or GitHub Enterprise, or the path of a bare repository on this machine. Without one, no job can be created. */
  repository: z
    .string(write('an address such as "https://github.com/acme/docs", or a path'))
    .min(1)
    .optional(),
  github: GitHubAccess.optional(),
  /** The repository’s default branch where it is left out. */
  baseBranch: branchName.optional(),
  /** Folder of the documentation in the repository; the agent stays inside. */
  docsRoot: z
    .string(write('a folder such as "docs"'))
    .default('')
    .transform((path) => path.replace(/^\.?\/+|\/+$/g, '')),
  /** Domain of the site that is made from it: its readers’ feedback belongs to this project. */
  site: z.string(write('the domain of one of "sites"')).optional(),
  /** A name of `models`. Without it, jobs take commands instead of instructions in words. */
  model: z.string(write('the name of one of "models"')).optional(),
  branchPrefix: z
    .string(write('the beginning of a branch name, such as "docent/"'))
    .regex(/^[\w][\w./-]{0,60}$/, write('the beginning of a branch name, such as "docent/"'))
    .refine(
      (prefix) => branchNameMistake(`${prefix}x`) === undefined,
      write('the beginning of a branch name, such as "docent/"'),
    )
    .default('docent/'),
  /** Whether pull requests are drafts; `caller`: as the request says. The model cannot change it. */
  draft: z
    .enum(['always', 'never', 'caller'], { error: 'must be "always", "never" or "caller"' })
    .default('caller'),
  paths: z
    .strictObject(
      {
        /** Of all files below `docsRoot`, only these. */
        allow: z.array(glob).optional(),
        /** Outside of `docsRoot`, what the agent may read, such as code that the pages explain. */
        read: z.array(glob).default([]),
        /** Protected besides what always is. */
        protect: z.array(glob).default([]),
        /** Protected by default, but not here. */
        unprotect: z.array(glob).default([]),
        /** `block`: the agent cannot write them; `draft`: it can, and the pull request is a draft that names them. */
        onProtected: z
          .enum(['block', 'draft'], { error: 'must be "block" or "draft"' })
          .default('block'),
      },
      write('an object such as { "protect": ["legal/**"] }'),
    )
    .prefault({}),
  /** What a change may be before somebody has to look at it. */
  guard: GuardConfig,
  limits: JobLimits,
  checks: ChecksConfig,
  /** Who hears of the project’s jobs. */
  webhooks: WebhooksConfig,
});
export type ProjectConfig = z.output<typeof ProjectConfig>;
