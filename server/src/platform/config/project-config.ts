import { z } from 'zod';
import { branchNameMistake } from './branch-names.ts';
import { count, name, variable, webAddress, write } from './fields.ts';
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

/** `draft`: the pull request is a draft that says what to look at; `block`: there is none. */
const consequence = z.enum(['draft', 'block', 'allow'], {
  error: 'must be "draft", "block" or "allow"',
});

/** What a change may be before somebody has to look at it, or says beforehand that it may. */
const GuardConfig = z
  .strictObject(
    {
      /** More changed files need `allowLarge` of the request. */
      files: count('a number of files').default(100),
      /** If more of the lines of the changed files are deleted, it needs `allowLarge` of the request. */
      deletedPercent: z
        .number(write('a number from 1 to 100'))
        .min(1, write('a number from 1 to 100'))
        .max(100, write('a number from 1 to 100'))
        .default(50),
      /** Addresses of hosts that are not known yet: see `files/new-hosts.ts`. */
      newHosts: consequence.default('draft'),
      /** Scripts, frames, handlers, MDX that computes something, programs. */
      newCode: consequence.default('draft'),
      /** Hosts that pages may always name; `*.acme.com` for all below. */
      hosts: z
        .array(
          z
            .string(write('a host such as "acme.com" or "*.acme.com"'))
            .regex(
              /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i,
              write('a host such as "acme.com" or "*.acme.com"'),
            )
            .transform((host) => host.toLowerCase()),
        )
        .default([]),
    },
    write('an object such as { "files": 50, "newHosts": "block" }'),
  )
  .prefault({});
export type GuardConfig = z.output<typeof GuardConfig>;

const onOff = (what: string) => z.boolean(write(`true or false: whether ${what}`)).default(true);

/** What a change has to pass before it becomes a pull request. */
export const ChecksConfig = z
  .strictObject(
    {
      links: onOff('links must lead to pages'),
      anchors: onOff('links must lead to headings'),
      images: onOff('images must exist'),
      /** The path of a JSON schema in the repository checks each page’s frontmatter against it. */
      frontmatter: z
        .union([z.boolean(), z.string().regex(/^(?!\/)(?!.*\.\.).+\.json$/)], {
          error:
            'must be true, false, or the path of a JSON schema in the repository, such as "docs/frontmatter.schema.json"',
        })
        .default(true),
      navigation: onOff('entries of the navigation must lead to pages'),
      fences: onOff('code blocks must be closed'),
      mdx: onOff('MDX must be valid'),
      /** `fail`: a change that breaks something ends the job; `draft`: its pull request is a draft that lists what. */
      onFailure: z.enum(['fail', 'draft'], { error: 'must be "fail" or "draft"' }).default('fail'),
    },
    write('an object such as { "onFailure": "draft" }'),
  )
  .prefault({});
export type ChecksConfig = z.output<typeof ChecksConfig>;

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
