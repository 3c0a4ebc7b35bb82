/** Pull requests of repositories on this machine, as rows: there is no host that keeps them. */
import type { Tables } from '../../../platform/store/tables.ts';
import { JobError } from '../../../platform/errors.ts';
import type { Database } from '../../../platform/store/database.ts';
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

const attempts = 20;

export function createLocalPulls(deps: { database: Database; now: () => Date }, project: string) {
  const { database, now } = deps;
  const ours = () => database.selectFrom('local_pulls').selectAll().where('project', '=', project);
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
    async create(request: NewPullRequest & { baseCommit: string }): Promise<LocalPull> {
      const { branch, base, title, body, isDraft, baseCommit } = request;
      const time = now().toISOString();
      // Two requests at the same moment count the same number; the table's key decides, and one counts again.
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const last = await ours().orderBy('number', 'desc').executeTakeFirst();
        const number = (last?.number ?? 0) + 1;
        const { numInsertedOrUpdatedRows } = await database
          .insertInto('local_pulls')
          .values({
            project,
            number,
            branch,
            base,
            title,
            body,
            state: 'open',
            is_draft: Number(isDraft),
            base_commit: baseCommit,
            created_at: time,
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        const row = await ours()
          .where('branch', '=', branch)
          .where('state', '=', 'open')
          .executeTakeFirst();
        if (row) return toPull(row);
        if (numInsertedOrUpdatedRows === 1n) {
          // Ended by somebody between the two statements.
          const made = await read(number);
          if (made) return made;
        }
      }
      throw new JobError('forge_unavailable', 'The pull request could not be numbered.');
    },

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
    async reopen(number: number, within?: Within): Promise<boolean> {
      const pull = await read(number);
      if (pull?.state !== 'closed') return false;
      return together(async (tx) => {
        const { numUpdatedRows } = await change(tx)
          .set({
            state: 'open',
            ended_at: null,
          })
          .where('number', '=', number)
          .where('state', '=', 'closed')
          .where((row) =>
            row.not(
              row.exists(
                row
                  .selectFrom('local_pulls as other')
                  .select('other.number')
                  .where('other.project', '=', project)
                  .where('other.branch', '=', pull.branch)
                  .where('other.state', '=', 'open'),
              ),
            ),
          )
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) return false;
        await within?.(tx);
        return true;
      });
    },
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
