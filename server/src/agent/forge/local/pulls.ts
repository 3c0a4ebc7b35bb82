/** Pull requests of repositories on this machine, as rows: there is no host that keeps them. */
import type { Tables } from '../../../platform/store/tables.ts';
import type { Database } from '../../../platform/store/database.ts';
import { lockUntilCommit } from '../../../platform/store/lease.ts';
import type { NewPullRequest } from '../forge.ts';

export type LocalPull = ReturnType<typeof toPull>;

export interface PullEnd {
  state: 'merged' | 'closed';
  headCommit: string | undefined;
  baseCommit?: string | undefined;
}

/** A further write in the transaction of a change. */
export type Within = (tx: Database) => Promise<void>;

export type LocalPulls = ReturnType<typeof createLocalPulls>;

type NewLocalPull = NewPullRequest & { baseCommit: string };

export function createLocalPulls(deps: { database: Database; now: () => Date }, project: string) {
  const { database, now } = deps;
  const ours = (tx = database) =>
    tx.selectFrom('local_pulls').selectAll().where('project', '=', project);
  const openOf = (tx: Database, branch: string) =>
    ours(tx).where('branch', '=', branch).where('state', '=', 'open').executeTakeFirst();
  const change = (tx: Database) => tx.updateTable('local_pulls').where('project', '=', project);
  const together = <Result>(work: (tx: Database) => Promise<Result>): Promise<Result> =>
    database.transaction().execute(work);

  async function read(number: number): Promise<LocalPull | undefined> {
    const row = await ours().where('number', '=', number).executeTakeFirst();
    return row && toPull(row);
  }

  return {
    read,

    /** The newest one of a branch, in any state. */
    async find(branch: string): Promise<LocalPull | undefined> {
      const row = await ours()
        .where('branch', '=', branch)
        .orderBy('number', 'desc')
        .executeTakeFirst();
      return row && toPull(row);
    },

    /** Newest first. */
    async list(page: { skip: number; take: number }): Promise<LocalPull[]> {
      const rows = await ours()
        .orderBy('number', 'desc')
        .offset(page.skip)
        .limit(page.take)
        .execute();
      return rows.map(toPull);
    },

    /** Gives back the open one of that branch where there is one. */
    create: ({
      branch,
      base,
      title,
      body,
      isDraft,
      baseCommit,
    }: NewLocalPull): Promise<LocalPull> =>
      together(async (tx) => {
        // Two requests at the same moment would count the same number.
        await lockUntilCommit(tx, `pulls of ${project}`);
        const open = await openOf(tx, branch);
        if (open) return toPull(open);
        const last = await ours(tx).orderBy('number', 'desc').executeTakeFirst();
        const row = await tx
          .insertInto('local_pulls')
          .values({
            project,
            number: (last?.number ?? 0) + 1,
            branch,
            base,
            title,
            body,
            state: 'open',
            is_draft: Number(isDraft),
            base_commit: baseCommit,
            created_at: now().toISOString(),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        return toPull(row);
      }),

    /** `undefined`: there is none with this number. */
    async update(
      number: number,
      values: { title?: string; body?: string; isDraft?: boolean },
      within?: Within,
    ): Promise<LocalPull | undefined> {
      const { title, body, isDraft } = values;
      await together(async (tx) => {
        await change(tx)
          .set({
            ...(title !== undefined && { title }),
            ...(body !== undefined && { body }),
            ...(isDraft !== undefined && { is_draft: Number(isDraft) }),
          })
          .where('number', '=', number)
          .execute();
        await within?.(tx);
      });
      return read(number);
    },

    /** `false`: it is not open any more. */
    async end(number: number, end: PullEnd, within?: Within): Promise<boolean> {
      return together(async (tx) => {
        const { numUpdatedRows } = await change(tx)
          .set({
            state: end.state,
            head_commit: end.headCommit ?? null,
            ...(end.baseCommit !== undefined && { base_commit: end.baseCommit }),
            ended_at: now().toISOString(),
          })
          .where('number', '=', number)
          .where('state', '=', 'open')
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) return false;
        await within?.(tx);
        return true;
      });
    },

    together,

    /** `false`: it is not closed, or the branch has another open one by now. */
    reopen: (number: number, within?: Within): Promise<boolean> =>
      together(async (tx) => {
        await lockUntilCommit(tx, `pulls of ${project}`);
        const row = await ours(tx).where('number', '=', number).executeTakeFirst();
        if (row?.state !== 'closed' || (await openOf(tx, row.branch))) return false;
        const open = { state: 'open' as const, ended_at: null };
        await change(tx).set(open).where('number', '=', number).execute();
        await within?.(tx);
        return true;
      }),
  };
}

function toPull(row: Tables['local_pulls']) {
  return {
    project: row.project,
    number: row.number,
    branch: row.branch,
    base: row.base,
    title: row.title,
    body: row.body,
    state: row.state,
    isDraft: row.is_draft === 1,
    /** Where the branch was when it ended; `undefined` while it is open. */
    headCommit: row.head_commit ?? undefined,
    /** Where the base was when it was created, or just before the merge. */
    baseCommit: row.base_commit ?? undefined,
    createdAt: row.created_at,
    endedAt: row.ended_at ?? undefined,
  };
}
