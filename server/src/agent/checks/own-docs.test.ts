/** Nothing is wrong with documentation that is right: our own, of which another test proves that all its links lead somewhere. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ChecksConfig } from '../../platform/config/project-config.ts';
import { checkAll } from './check-docs.ts';
import { changedFiles } from '../../../testing/agent-checks.ts';

test('our own documentation has no problems', async () => {
  const folder = fileURLToPath(new URL('../../../../demo-site/docs', import.meta.url));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = changedFiles(
    new Map(
      names
        .filter((name) => statSync(join(folder, name)).isFile())
        .map((name) => [`docs/${name}`, readFileSync(join(folder, name))] as const),
    ),
  );
  const project = { docsRoot: 'docs', checks: ChecksConfig.parse({}) };
  const { problems } = await checkAll({ files, project });
  expect(problems).toEqual([]);
  expect(files.reads()).toBeGreaterThan(20);
});
