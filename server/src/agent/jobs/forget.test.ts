import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import { createAudit } from '../../notify/audit/audit.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import type { Store } from '../../platform/store/database.ts';
import { createJobs } from './jobs.ts';
import { deleteEndedBefore } from './forget.ts';

const project = ProjectConfig.parse({
  id: 'kestrel',
  organization: 'kestrel',
  model: 'main',
  repository: 'https://github.com/kestrel/docs',
});
const rows = ['agent_instructions', 'agent_messages', 'agent_edits', 'agent_events'] as const;

function open(store: Store) {
  const { database } = store;
  let time = new Date('2026-01-01T00:00:00.000Z');
  const now = () => time;
  const jobs = createJobs({ ...store, now });
  const audit = createAudit({ store, now });

  /** A job with something in every table, that ended on that day. */
  async function ended(day: string, { isArchived = true } = {}): Promise<string> {
    time = new Date(`${day}T12:00:00.000Z`);
    const instructions = [{ role: 'user' as const, content: 'Fix the install page' }];
    const { job } = await jobs.create({
      project,
      origin: 'api',
      instructions,
      idempotencyKey: day,
    });
    const { id } = job;
    await database
      .insertInto('agent_messages')
      .values({ job_id: id, seq: 1, message: '{}', is_compacted: 0 })
      .execute();
    await database
      .insertInto('agent_edits')
      .values({ job_id: id, path: 'a.md', content: 'YQ==', moved_from: null })
      .execute();
    await jobs.cancel(project.id, id);
    if (isArchived) await jobs.archive(project.id, id);
    return id;
  }

  return {
    database,
    jobs,
    audit,
    ended,
    deleteBefore: (day: string) =>
      deleteEndedBefore({ database, audit }, new Date(`${day}T00:00:00.000Z`)),
  };
}

eachDatabase((openNew) => {
  test('what ended before is gone with all it knew; the rest is untouched', async () => {
    const { database, jobs, audit, ended, deleteBefore } = open(await openNew());
    const old = await ended('2026-01-02');
    const edge = await ended('2026-01-10');
    const kept = await ended('2026-01-03', { isArchived: false });
    const instructions = [{ role: 'user' as const, content: 'Fix it' }];
    const { job: active } = await jobs.create({ project, origin: 'api', instructions });

    expect(await deleteBefore('2026-01-10')).toBe(1);
    await expect(jobs.read(project.id, old)).rejects.toMatchObject({ code: 'not_found' });
    for (const table of rows) {
      const left = await database.selectFrom(table).select('job_id').execute();
      const ids = new Set(left.map(({ job_id: id }) => id));
      expect([table, ids.has(old), ids.has(edge), ids.has(kept)]).toEqual([
        table,
        false,
        true,
        true,
      ]);
    }
    for (const id of [edge, kept, active.id]) expect(await jobs.find(project.id, id)).toBeDefined();
    // Its key is free again: the request would be a new one.
    const again = { project, origin: 'api' as const, instructions, idempotencyKey: '2026-01-02' };
    expect((await jobs.create(again)).isReplay).toBe(false);

    const [entry] = await audit.list('kestrel', { type: 'job.deleted', limit: 10 });
    expect(entry).toMatchObject({
      job: old,
      actor: { kind: 'system' },
      data: { status: 'failed', finishedAt: '2026-01-02T12:00:00.000Z' },
    });
    expect(await deleteBefore('2026-01-10')).toBe(0);
  });

  test('more than fit into one look, with two processes at it: each once', async () => {
    const { database, audit, ended, deleteBefore } = open(await openNew());
    const id = await ended('2026-01-02');
    const row = await database
      .selectFrom('agent_jobs')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const copies = Array.from({ length: 250 }, (_, index) => ({ ...row, id: `copy-${index}` }));
    await database.insertInto('agent_jobs').values(copies).execute();
    const counts = await Promise.all([deleteBefore('2026-02-01'), deleteBefore('2026-02-01')]);
    expect(counts[0] + counts[1]).toBe(251);
    expect(await database.selectFrom('agent_jobs').select('id').execute()).toEqual([]);
    expect(await audit.list('kestrel', { type: 'job.deleted', limit: 500 })).toHaveLength(251);
  });
});
