/**
 * What the audit trail takes on disk (SQLite, with its indexes), for jobs of 30 steps with one call of a
 * tool in each.
 *
 *     node tests/bench/audit.bench.ts [jobs]
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAudit, type NewAuditEntry } from '../../server/src/notify/audit/audit.ts';
import { newId } from '../../server/src/platform/ids.ts';
import { openStore } from '../../server/src/open-store.ts';

const jobs = Number(process.argv[2] ?? 200);
const steps = 30;
const folder = await mkdtemp(join(tmpdir(), 'docent-audit-'));

async function writeTrail(count: number): Promise<number> {
  const store = await openStore({ dataFolder: folder, log: { info() {}, warn() {} } });
  const audit = createAudit({ store, now: () => new Date() });
  let entries = 0;
  for (let job = 0; job < count; job += 1) {
    for (const entry of trailOf(newId())) {
      await store.database.transaction().execute((tx) => audit.record(tx, entry));
      entries += 1;
    }
  }
  await store.close();
  return entries;
}

function trailOf(job: string): NewAuditEntry[] {
  const entry = (type: string, data: Record<string, unknown>): NewAuditEntry => ({
    organization: 'acme',
    project: 'acme-docs',
    job,
    actor: { kind: 'system' },
    type,
    data,
  });
  const pull = 'https://github.com/acme/docs/pull/17';
  const checks = ['links', 'anchors', 'images', 'frontmatter', 'navigation', 'fences', 'mdx'];
  return [
    entry('job.created', {
      role: 'user',
      prompt: 'Document the --dry-run option of deploy, with an example, and link to it.',
      origin: 'api',
      model: 'main',
      repository: 'https://github.com/acme/docs',
      branch: 'docent/document-the-dry-run-option-7k3m9q2x',
      paths: null,
    }),
    entry('job.started', { attempt: 1, round: 1 }),
    ...Array.from({ length: steps }, (_, step) => toolCall(step)).map((data) =>
      entry('job.tool_call', data),
    ),
    entry('job.checks', {
      checks: Object.fromEntries(checks.map((name) => [name, 'passed'])),
      problems: 0,
    }),
    entry('job.pull_request', { number: 17, url: pull, isDraft: false }),
    entry('job.completed', { prLink: pull }),
  ];
}

/** A third each: a search, a file read, an edit. */
function toolCall(step: number): Record<string, unknown> {
  const call = `call_${newId()}`;
  const path = `docs/guides/page-${step}.md`;
  if (step % 3 === 0) return { call, name: 'search', input: { query: 'dry-run deploy' } };
  if (step % 3 === 1) return { call, name: 'read', input: { path } };
  const input = { path, oldText: 'x'.repeat(150), newText: 'y'.repeat(250) };
  return { call, name: 'edit', input };
}

async function size(): Promise<number> {
  const sizes = (await readdir(folder)).map(async (file) => (await stat(join(folder, file))).size);
  return (await Promise.all(sizes)).reduce((sum, each) => sum + each, 0);
}

try {
  await writeTrail(0);
  const before = await size();
  const entries = await writeTrail(jobs);
  const bytes = (await size()) - before;
  console.log(`${entries / jobs} entries a job, ${Math.round(bytes / entries)} bytes an entry`);
  console.log(`${(bytes / jobs / 1000).toFixed(1)} kB a job of ${steps} steps`);
} finally {
  await rm(folder, { recursive: true });
}
