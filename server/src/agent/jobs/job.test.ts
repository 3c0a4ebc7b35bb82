import { expect, test } from 'vitest';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { createPathPolicy } from '../workspace/path-policy.ts';
import { rulesOfJob } from './job.ts';

const project = ProjectConfig.parse({
  id: 'acme-docs',
  organization: 'acme',
  docsRoot: 'docs',
  draft: 'never',
  paths: { allow: ['docs/**/*.md'] },
});

test('a job of a caller goes by the rules of the project', () => {
  expect(rulesOfJob(project, { origin: 'api', paths: null })).toEqual(project);
  expect(rulesOfJob(project, { origin: 'gap', paths: null }).draft).toBe('never');
});

test('what a reader’s words began is a draft, whatever the project says', () => {
  expect(rulesOfJob(project, { origin: 'feedback', paths: null }).draft).toBe('always');
});

test('a job that is bound to some paths writes only where the project allows it too', () => {
  const rules = rulesOfJob(project, { origin: 'feedback', paths: ['docs/guides/', 'docs/faq.'] });
  const policy = createPathPolicy(rules.paths, rules.docsRoot);
  const kindOf = (path: string) => policy.classify(path).kind;
  expect(kindOf('docs/guides/install.md')).toBe('open');
  expect(kindOf('docs/Guides/deep/Setup.md')).toBe('open');
  expect(kindOf('docs/faq.md')).toBe('open');
  expect(kindOf('docs/faq-archive.md')).toBe('outside');
  expect(kindOf('docs/index.md')).toBe('outside');
  expect(kindOf('docs/guides/tool.js')).toBe('outside');
  expect(kindOf('docs/guides/AGENTS.md')).toBe('protected');
  expect(kindOf('guides/install.md')).toBe('outside');
  expect(policy.classify('docs/index.md').reason).toBe(
    'not among the paths that this job is about',
  );
});
