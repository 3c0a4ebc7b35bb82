import { describe, expect, test } from 'vitest';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { compileGlob } from './globs.ts';
import { createPathPolicy } from './path-policy.ts';

function policyOf(paths: object = {}, docsRoot = '') {
  const project = ProjectConfig.parse({ id: 'p', organization: 'o', docsRoot, paths });
  return createPathPolicy(project.paths, project.docsRoot);
}

const kindsOf = (policy: ReturnType<typeof policyOf>, paths: string[]) =>
  paths.map((path) => policy.classify(path).kind);

describe('by default', () => {
  test.each([
    'docs/index.md',
    'docs/a/b.mdx',
    'docs.json',
    'mint.json',
    'mkdocs.yml',
    'docs/sidebars.js',
    'docs/license.md',
    'docs/guides/licensing.md',
    'docs/agents.mdx',
    'docs/agents/index.md',
    'docs/images/logo.svg',
    'docs/makefiles.md',
    'docs/package-json.md',
    'docs/openapi.yaml',
    'llms.txt',
  ])('%s is open', (path) => {
    expect(policyOf().classify(path)).toEqual({ kind: 'open', reason: 'open' });
  });

  test.each([
    ['.github/workflows/ci.yml', 'a workflow'],
    ['.GitHub/Workflows/CI.yml', 'a workflow'],
    ['.gitlab-ci.yml', 'a workflow'],
    ['docs/.vitepress/config.ts', 'hidden'],
    ['.nojekyll', 'hidden'],
    ['CODEOWNERS', 'code owners'],
    ['docs/CODEOWNERS', 'code owners'],
    ['package.json', 'packages'],
    ['website/package-lock.json', 'packages'],
    ['pnpm-lock.yaml', 'packages'],
    ['yarn.lock', 'packages'],
    ['bun.lockb', 'packages'],
    ['Cargo.toml', 'packages'],
    ['go.sum', 'packages'],
    ['requirements-docs.txt', 'packages'],
    ['docs/requirements.txt', 'packages'],
    ['pyproject.toml', 'packages'],
    ['Gemfile.lock', 'packages'],
    ['docs/conf.py', 'packages'],
    ['docusaurus.config.js', 'packages'],
    ['astro.config.mjs', 'packages'],
    ['Dockerfile', 'packages'],
    ['Makefile', 'packages'],
    ['netlify.toml', 'packages'],
    ['AGENTS.md', 'coding agents'],
    ['docs/agents.md', 'coding agents'],
    ['docs/CLAUDE.md', 'coding agents'],
    ['.cursorrules', 'coding agents'],
    ['.cursor/rules/a.mdc', 'coding agents'],
    ['.github/copilot-instructions.md', 'coding agents'],
    ['docs/style.instructions.md', 'coding agents'],
    ['LICENSE', 'licence'],
    ['docs/LICENSE.txt', 'licence'],
    ['LICENSE-MIT', 'licence'],
    ['LICENSE.md', 'licence'],
    ['NOTICE', 'licence'],
  ])('%s is protected', (path, words) => {
    expect(policyOf().classify(path)).toEqual({
      kind: 'protected',
      reason: expect.stringContaining(words),
    });
  });

  test.each([
    '.env',
    'docs/.env.production',
    'docs/server.key',
    '.npmrc',
    'a/id_rsa',
    'x/.ssh/config',
  ])('%s is not read', (path) => expect(policyOf().isReadable(path)).toBe(false));

  test.each(['docs/a.md', '.github/workflows/ci.yml', 'package.json', '.env.example'])(
    '%s is read',
    (path) => expect(policyOf().isReadable(path)).toBe(true),
  );
});

describe('as the project says', () => {
  test('docsRoot holds it in, and a folder of a like name is another one', () => {
    const policy = policyOf({}, './docs/');
    expect(kindsOf(policy, ['docs/a.md', 'docs2/a.md', 'a.md', 'Docs/a.md', 'docs'])).toEqual([
      'open',
      'outside',
      'outside',
      'outside',
      'outside',
    ]);
    expect(policy.isReadable('src/a.ts')).toBe(false);
    expect(policyOf({ read: ['src/**/*.ts'] }, 'docs').isReadable('src/b/a.ts')).toBe(true);
    expect(policyOf({ read: ['src'] }, 'docs').classify('src/a.ts').kind).toBe('outside');
  });

  test('allow, protect and unprotect', () => {
    const allow = policyOf({ allow: ['docs/guides/**', '*.mdx'] });
    expect(kindsOf(allow, ['docs/guides/a.md', 'docs/b.mdx', 'docs/b.md'])).toEqual([
      'open',
      'open',
      'outside',
    ]);
    const both = policyOf({
      protect: ['legal/**', 'a.md'],
      unprotect: ['.vitepress', 'legal/x.md'],
    });
    expect(
      kindsOf(both, ['legal/x.md', 'LEGAL/y.md', 'docs/a.md', 'docs/.vitepress/config.ts', '.x']),
    ).toEqual(['protected', 'protected', 'protected', 'open', 'protected']);
  });
});

describe('patterns', () => {
  test.each<[string, string, boolean]>([
    ['*.md', 'a/b/c.md', true],
    ['*.md', 'a/b/c.mdx', false],
    ['docs/*.md', 'docs/a.md', true],
    ['docs/*.md', 'docs/a/b.md', false],
    ['docs/**/*.md', 'docs/b.md', true],
    ['docs/**/*.md', 'docs/a/b/c.md', true],
    ['docs/**', 'docs/a/b', true],
    ['docs/**', 'docsx/a', false],
    ['docs', 'docs/a/b', true],
    ['docs/', 'docs/a/b', true],
    ['/docs', 'docs/a', true],
    ['./docs', 'docs/a', true],
    ['**', 'a/b', true],
    ['a?.md', 'ab.md', true],
    ['a?.md', 'a/.md', false],
    ['{a,b}.md', 'x/b.md', true],
    ['[a-c].md', 'b.md', true],
    ['[!a-c].md', 'b.md', false],
    ['docs/[slug].mdx', 'docs/[slug].mdx', true],
    ['a.b', 'axb', false],
    ['(a|b)+', '(a|b)+', true],
    ['DOCS/*.MD', 'docs/a.md', true],
    ['a{b', 'a{b', true],
    ['', 'a', false],
  ])('%j and %j: %s', (glob, path, expected) => {
    expect(compileGlob(glob)(path)).toBe(expected);
  });

  test('stars bring nothing to a standstill', () => {
    const fits = compileGlob(`${'*a'.repeat(100)}b`);
    expect(fits('a'.repeat(1000))).toBe(false);
    expect(() => compileGlob('*'.repeat(400))).toThrow('longer than 300');
  });
});
