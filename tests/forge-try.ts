/**
 * Tries a real forge: the contract of forges and ten whole jobs, in private repositories that it makes and
 * deletes, and a table of what passed.
 *   pnpm forge:try --forge gitea --url https://git.example.com --token …
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { type HostAddress, readVersion, removeLeftovers } from './support/forges/admin.ts';
import { temporaryFolder } from './support/fixture.ts';

const usage =
  'pnpm forge:try --forge gitea|gitlab --url <address> --token <token> [--only <words of a test>]\n' +
  'Instead of --token, you can set FORGE_TRY_TOKEN. For a certificate authority of your own, set NODE_EXTRA_CA_CERTS.';

const { values } = parseArgs({
  options: {
    forge: { type: 'string' },
    url: { type: 'string' },
    token: { type: 'string', default: process.env['FORGE_TRY_TOKEN'] ?? '' },
    only: { type: 'string' },
  },
});
const { forge: kind, url = '', token, only } = values;
if ((kind !== 'gitea' && kind !== 'gitlab') || !URL.canParse(url) || token === '') {
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}
const host: HostAddress = { kind, url: url.replace(/\/$/, ''), token };

interface Report {
  testResults: {
    assertionResults: {
      ancestorTitles: string[];
      title: string;
      status: string;
      failureMessages?: string[];
    }[];
  }[];
}

const version = await readVersion(host);
process.stdout.write(`Trying ${version} at ${host.url}\n`);
process.env['FORGE_TRY_KIND'] = host.kind;
process.env['FORGE_TRY_URL'] = host.url;
process.env['FORGE_TRY_TOKEN'] = host.token;
await using folder = await temporaryFolder();
const outputFile = join(folder.path, 'report.json');
const root = fileURLToPath(new URL('try', import.meta.url));
const vitest = await startVitest('test', [], {
  root,
  config: join(root, 'vitest.config.ts'),
  watch: false,
  reporters: ['json'],
  outputFile,
  ...(only !== undefined && { testNamePattern: only }),
});
await vitest.close();
const left = await removeLeftovers(host);

const report = JSON.parse(await readFile(outputFile, 'utf8')) as Report;
const rows = report.testResults.flatMap(({ assertionResults }) => assertionResults);
const ran = rows.filter(({ status }) => status === 'passed' || status === 'failed');
const failed = ran.filter(({ status }) => status === 'failed');
let part = '';
for (const { ancestorTitles, title, status, failureMessages } of ran) {
  const name = ancestorTitles.join(' ');
  if (name !== part) process.stdout.write(`\n${(part = name)}\n`);
  process.stdout.write(`  ${status === 'passed' ? 'ok  ' : 'FAIL'}  ${title}\n`);
  if (status === 'failed') {
    process.stdout.write(`        ${failureMessages?.[0]?.split('\n')[0] ?? ''}\n`);
  }
}
process.stdout.write(
  `\n${version}: ${ran.length - failed.length} passed, ${failed.length} failed; ${left} repositories were left and are deleted now.\n`,
);
process.exitCode = ran.length === 0 || failed.length > 0 ? 1 : 0;
