/** Which files the agent may read and write: a pure function of the project's settings. */
import { trimEndOf } from '../../platform/text.ts';
import type { ProjectConfig } from '../../platform/config/project-config.ts';
import { isSecretFile } from '../../platform/redaction/redact.ts';
import { compileGlobs } from './globs.ts';
import { fold } from './paths.ts';

interface PathClass {
  kind: 'open' | 'protected' | 'outside';
  /** Ends a sentence that begins with the path: "is …". */
  reason: string;
}

export type PathPolicy = ReturnType<typeof createPathPolicy>;

type Kind = [what: string, globs: string[]];

/** What decides who may change a repository, what runs in its builds, and what other agents are told. */
const alwaysProtected: readonly Kind[] = [
  [
    'a workflow of the repository’s host',
    ['.github/workflows', '.gitlab-ci.yml', '.forgejo', '.gitea'],
  ],
  [
    'instructions to coding agents',
    [
      'AGENTS.md',
      'AGENTS.override.md',
      'AGENT.md',
      'CLAUDE.md',
      'CLAUDE.local.md',
      'GEMINI.md',
      'QWEN.md',
      'WARP.md',
      'SKILL.md',
      'copilot-instructions.md',
      '*.instructions.md',
      '*.prompt.md',
      '*.chatmode.md',
      '.cursorrules',
      '.cursor',
      '.claude',
      '.windsurfrules',
      '.clinerules',
      'mcp.json',
    ],
  ],
  ['a list of code owners', ['CODEOWNERS']],
  [
    'a list of packages or versions, or what builds the project',
    [
      'package.json',
      'package-lock.json',
      'npm-shrinkwrap.json',
      'pnpm-{lock,workspace}.yaml',
      'yarn.lock',
      'bun.lock{,b}',
      'deno.{json,jsonc,lock}',
      'jsr.json',
      'composer.{json,lock}',
      'Gemfile{,.lock}',
      '*.gemspec',
      'Cargo.{toml,lock}',
      'go.{mod,sum,work}',
      'pyproject.toml',
      '{poetry,uv,pdm,pixi,conda}.lock',
      'Pipfile{,.lock}',
      '*requirements*.txt',
      'setup.{py,cfg}',
      'conf.py',
      'pom.xml',
      '*.gradle{,.kts}',
      'mix.{exs,lock}',
      'pubspec.{yaml,lock}',
      'Package.{swift,resolved}',
      '*.{csproj,fsproj,sln}',
      'packages.lock.json',
      'flake.{nix,lock}',
      '{Docker,Container,Make,Just,Task,Jenkins,Proc,Vagrant}file{,.*}',
      '*compose*.{yml,yaml}',
      '{vercel,netlify,turbo,nx,lerna,renovate}.{json,toml}',
      'wrangler.{toml,json,jsonc}',
      // They run whenever the site is built.
      '*.config.{js,cjs,mjs,ts,cts,mts}',
    ],
  ],
  ['a licence', ['{LICENSE,LICENCE,COPYING,NOTICE}{,.txt}', '{LICENSE,LICENCE}-*']],
  ['in a hidden folder, or a hidden file', ['.*']],
];

export type PathRules = ProjectConfig['paths'] & {
  /** Path prefixes that one job is limited to. */
  within?: readonly string[];
};

export function createPathPolicy(paths: PathRules, docsRoot: string) {
  const root = trimEndOf(docsRoot, '/').replace(/^(?:\.?\/)+/, '');
  const prefix = root === '' ? '' : `${root}/`;
  const kinds = alwaysProtected.map(([what, globs]) => ({ what, fits: compileGlobs(globs) }));
  const isAllowed = paths.allow && compileGlobs(paths.allow);
  const isProtected = compileGlobs(paths.protect);
  const isUnprotected = compileGlobs(paths.unprotect);
  const within = paths.within?.map(fold);
  const isReadElsewhere = compileGlobs(paths.read);
  const isInRoot = (path: string) => path.startsWith(prefix);

  return {
    /** Folder of the documentation; empty: the whole repository. */
    root,
    /** Whether protected files may be written all the same, for a draft that names them. */
    onProtected: paths.onProtected,

    classify(path: string): PathClass {
      if (!isInRoot(path)) return { kind: 'outside', reason: `outside of "${root}"` };
      if (isAllowed && !isAllowed(path)) {
        return { kind: 'outside', reason: 'not among the paths that the project allows' };
      }
      if (within && !within.some((beginning) => fold(path).startsWith(beginning))) {
        return { kind: 'outside', reason: 'not among the paths that this job is about' };
      }
      if (isProtected(path)) return { kind: 'protected', reason: 'protected by the project' };
      if (isUnprotected(path)) return { kind: 'open', reason: 'open' };
      // A page about licences is a page; the file at the top of a repository is the licence.
      if (/^(?:licen[cs]e|copying|notice)\.(?:md|rst|adoc)$/.test(fold(path))) {
        return { kind: 'protected', reason: 'a licence' };
      }
      const found = kinds.find(({ fits }) => fits(path));
      return found ? { kind: 'protected', reason: found.what } : { kind: 'open', reason: 'open' };
    },

    /** Whether the model may see the contents: never those of a file whose name suggests secrets. */
    isReadable: (path: string): boolean =>
      (isInRoot(path) || isReadElsewhere(path)) && !isSecretFile(fold(path)),
  };
}
