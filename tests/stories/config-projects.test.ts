/** Projects of the configuration file: what leads nowhere is told when a command starts. */
import { checkConfig, ConfigError, type DocentConfig } from '@docent/server/docent';
import { expect, test } from 'vitest';
import { kestrelProject } from '../support/agent.ts';
import { fixtureDocs, kestrel, osprey } from '../support/fixture.ts';

type Project = NonNullable<DocentConfig['projects']>[number];

function mistakesOf(config: Partial<DocentConfig>, variables = {}): string[] {
  try {
    checkConfig({ sites: [kestrel, osprey], ...config }, { folder: fixtureDocs, variables });
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

/** These configurations have no models. */
const { model: _, ...project } = kestrelProject;
const one = (more: Partial<Project>) => ({ projects: [{ ...project, ...more }] });

test('projects that are as they should be', () => {
  expect(mistakesOf(one({}))).toEqual([]);
  expect(mistakesOf(one({ repository: '.' }))).toEqual([]);
  expect(mistakesOf(one({ repository: 'git@github.com:kestrel/docs.git' }))).toEqual([]);
  const github = { tokenEnv: 'DOCS_TOKEN' };
  expect(mistakesOf(one({ github }), { DOCS_TOKEN: 'a token' })).toEqual([]);
});

test('a project that names two hosts', () => {
  const two = one({ gitea: { tokenEnv: 'A' }, gitlab: { tokenEnv: 'B' } });
  expect(mistakesOf(two, { A: 'a token', B: 'a token' })).toEqual([
    expect.stringMatching(/^projects\.0 has "gitea" and "gitlab"; keep the one that hosts the rep/),
  ]);
});

test.each<[string, Partial<DocentConfig>, RegExp]>([
  [
    'a token of Gitea that is not set',
    one({ gitea: { tokenEnv: 'DOCS_GITEA_TOKEN' } }),
    /^projects\.0\.gitea needs the environment variable DOCS_GITEA_TOKEN; set it to a token with/,
  ],
  [
    'an id that is used twice',
    { projects: [project, { id: 'kestrel', organization: 'kestrel' }] },
    /^projects\.1\.id "kestrel" is used twice; give each project its own$/,
  ],
  [
    'a model that is not there',
    one({ model: 'large' }),
    /^projects\.0\.model "large" isn't one of "models" \(none so far\)/,
  ],
  [
    'a site that is not there',
    one({ site: 'kestrel' }),
    /^projects\.0\.site "kestrel" isn't one of "sites" \(kestrel-docs, osprey-docs\)/,
  ],
  [
    'a site of others',
    one({ site: 'osprey-docs' }),
    /^projects\.0\.site "osprey-docs" belongs to the organization "osprey"/,
  ],
  [
    'a site that has a project',
    { projects: [project, { ...project, id: 'other' }] },
    /^projects\.1\.site "kestrel-docs" already has a project/,
  ],
  [
    'an address with a password, which is not repeated',
    one({ repository: 'https://me:hunter2hunter2@github.com/kestrel/docs' }),
    /^projects\.0\.repository contains a username or password; (?!.*hunter2)/,
  ],
  [
    'an address of no repository',
    one({ repository: 'https://github.com/kestrel' }),
    /^projects\.0\.repository must name an owner and a repository; write it as /,
  ],
  [
    'a path that leads nowhere',
    one({ repository: 'nowhere.git' }),
    /^projects\.0\.repository .*nowhere\.git is not a repository on this machine; write an address/,
  ],
  [
    'labels of a repository on this machine',
    one({ repository: '.', pullRequest: { labels: ['docs'] } }),
    /^projects\.0\.pullRequest needs a host: pull requests of a repository on this machine have no l/,
  ],
  [
    'a reviewer that is no name',
    one({ pullRequest: { reviewers: ['@lena'] } }),
    /^projects\.0\.pullRequest\.reviewers\.0 is "@lena"; write a name at the host such as "lena"/,
  ],
  [
    'a token that is not set',
    one({ github: { tokenEnv: 'DOCS_TOKEN' } }),
    /^projects\.0\.github needs the environment variable DOCS_TOKEN; set it to a token/,
  ],
  [
    'an App’s key that is not set',
    one({ github: { app: { id: 1, privateKeyEnv: 'DOCS_APP_KEY' } } }),
    /^projects\.0\.github needs the environment variable DOCS_APP_KEY; set it to the private key/,
  ],
  [
    'a name of version 1 that stands for no model',
    { agent: { models: { opus: 'large' } } },
    /^agent\.models\.opus "large" isn't one of "models" \(none so far\)/,
  ],
  [
    'a base branch that is none',
    one({ baseBranch: 'a..b' }),
    /^projects\.0\.baseBranch is "a\.\.b"; write the name of a branch, such as "main"$/,
  ],
  [
    'no jobs at once',
    { agent: { concurrency: 0 } },
    /^agent\.concurrency is 0; write a number of jobs$/,
  ],
  [
    'jobs deleted before they are archived',
    { agent: { deleteAfterDays: 29 } },
    /^agent\.deleteAfterDays is 29, less than "archiveAfterDays" \(30\);.*write 30 or more, or "never"$/,
  ],
  [
    'jobs deleted at no time that there is',
    { agent: { deleteAfterDays: 'soon' as never } },
    /^agent\.deleteAfterDays is "soon"; write a number of days, or "never"$/,
  ],
])('%s', (_name, config, sentence) => {
  const mistakes = mistakesOf(config);
  expect(mistakes).toEqual([expect.stringMatching(sentence)]);
});

test('two ways to the same repository', () => {
  const app = { id: 1, privateKeyEnv: 'DOCS_APP_KEY' };
  const both = one({ github: { tokenEnv: 'DOCS_TOKEN', app } });
  expect(mistakesOf(both, { DOCS_TOKEN: 'a token', DOCS_APP_KEY: 'a key' })).toEqual([
    'projects.0.github has a "tokenEnv" and an "app"; remove one of them',
  ]);
});
