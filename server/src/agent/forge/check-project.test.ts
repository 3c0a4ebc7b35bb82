import { expect, onTestFinished, test } from 'vitest';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { checkProject } from './check-project.ts';
import { createGitHubForge, openGitHub, token } from '../../../testing/github-forge.ts';

test('a project is fit for jobs, or what is missing is said with a remedy', async () => {
  const setup = await openGitHub({ 'docs/a.md': 'a', 'docs/b.mdx': 'b', 'docs/c.png': 'c' });
  onTestFinished(() => setup[Symbol.asyncDispose]());
  const { server, deps } = setup;
  const check = async (more: object = {}) => {
    const project = ProjectConfig.parse({
      id: 'acme-docs',
      organization: 'acme',
      docsRoot: 'docs',
      ...more,
    });
    const found: string[] = [];
    for await (const one of checkProject(project, () => createGitHubForge(deps))) {
      found.push(`${one.passed ? 'ok' : 'no'} ${one.says}`);
      expect(one.passed).toBe(one.remedy === undefined);
    }
    return found;
  };
  const read = `ok ${server.repositoryUrl('acme/docs')} can be read`;
  const written = 'ok commits and pull requests can be written';
  expect(await check()).toEqual([
    read,
    written,
    'ok pull requests go to “main”, the default branch',
    'ok 2 of 3 files in docs/ are pages',
  ]);
  expect(await check({ baseBranch: 'next' })).toEqual([
    read,
    written,
    'no there is no branch “next”',
  ]);
  expect((await check({ docsRoot: 'handbook', baseBranch: 'main' })).slice(2)).toEqual([
    'ok pull requests go to “main”',
    'no there is no Markdown in handbook/',
  ]);
  for (const permissions of [
    { contents: 'read', pull_requests: 'write' },
    { contents: 'write', pull_requests: 'read' },
  ] as const) {
    server.addToken(token, { permissions });
    expect((await check()).slice(1)).toEqual([expect.stringMatching(/^no GitHub does not let/)]);
  }
  server.revokeToken(token);
  expect(await check()).toEqual([expect.stringMatching(/^no GitHub rejects/)]);
});
