/**
 * Links that let somebody without an account read one page. A person creates each, it expires, and it can
 * be revoked on its own.
 */
import type { Share } from '@docent/shared/jobs-list';
import { type Audit } from '../../notify/audit/audit.ts';
import { hashToken, isSecret, makeSecret } from '../../platform/auth/tokens.ts';
import { DocentError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { dayMs } from '../../platform/time.ts';
import type { Database } from '../../platform/store/database.ts';
import { callerActor } from '../../platform/auth/caller.ts';

/** A page of the dashboard. Its address contains no permission: a session opens it, and a shared link outside of the dashboard. */
export type PageOf =
  | { kind: 'project'; project: string }
  | { kind: 'job'; project: string; job: string }
  | { kind: 'pull'; project: string; number: number };

/** The whole address of a page. */
export type LinkTo = (page: PageOf) => string;

/** Where a shared link is, below the address of the service; and the page, below that of the dashboard. */
export function pagePath(page: PageOf): string {
  const project = `/projects/${encodeURIComponent(page.project)}`;
  switch (page.kind) {
    case 'project':
      return project;
    case 'job':
      return `${project}/jobs/${encodeURIComponent(page.job)}`;
    case 'pull':
      return `${project}/pulls/${page.number}`;
  }
}

export interface SharedPage {
  project: string;
  page: 'job' | 'pull';
  id: string;
}

export type PageShares = ReturnType<typeof createPageShares>;

export function createPageShares(deps: {
  database: Database;
  now: () => Date;
  audit: Pick<Audit, 'record'>;
}) {
  const { database, now, audit } = deps;

  const valid = () =>
    database
      .selectFrom('page_shares')
      .where('page_shares.revoked_at', 'is', null)
      .where('page_shares.expires_at', '>', now().toISOString());

  return {
    /** The token is in the result and nowhere else. */
    async create(
      organization: string,
      { project, page, id: pageId }: SharedPage,
      { days, by }: { days: number; by: string },
    ): Promise<{ share: Share; token: string }> {
      const token = makeSecret();
      const id = newId();
      const expires = new Date(now().getTime() + days * dayMs).toISOString();
      await database.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('page_shares')
          .values({
            id,
            hash: hashToken(token),
            organization,
            project,
            page,
            page_id: pageId,
            created_by: by,
            created_at: now().toISOString(),
            expires_at: expires,
          })
          .execute();
        const data = { share: id, page, pageId, expires };
        const actor = callerActor(by);
        await audit.record(transaction, {
          organization,
          project,
          actor,
          type: 'share.created',
          data,
        });
      });
      const [share] = await read(organization, id);
      if (!share) throw new Error('A new link is gone');
      return { share, token };
    },

    /** Those that still work, newest first. */
    list: (organization: string): Promise<Share[]> => read(organization),

    async revoke(organization: string, id: string, by: string): Promise<void> {
      await database.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('page_shares')
          .set({ revoked_at: now().toISOString() })
          .where('id', '=', id)
          .where('organization', '=', organization)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw new DocentError('not_found', 'There is no such link.');
        const actor = callerActor(by);
        await audit.record(transaction, {
          organization,
          actor,
          type: 'share.revoked',
          data: { share: id },
        });
      });
    },

    /** What a token opens; `undefined`: nothing, or no longer. */
    async find(token: string): Promise<(SharedPage & { organization: string }) | undefined> {
      if (!isSecret(token)) return undefined;
      const row = await valid()
        .select(['organization', 'project', 'page', 'page_id'])
        .where('hash', '=', hashToken(token))
        .executeTakeFirst();
      return row && { ...row, id: row.page_id };
    },

    async deleteOld(): Promise<void> {
      await database
        .deleteFrom('page_shares')
        .where('expires_at', '<=', now().toISOString())
        .execute();
    },
  };

  async function read(organization: string, id?: string): Promise<Share[]> {
    const rows = await valid()
      .leftJoin('people', 'people.id', 'page_shares.created_by')
      .leftJoin('keys', 'keys.id', 'page_shares.created_by')
      .selectAll('page_shares')
      .select(({ fn }) => fn.coalesce('people.name', 'keys.name').as('creator'))
      .where('page_shares.organization', '=', organization)
      .$if(id !== undefined, (rows) => rows.where('page_shares.id', '=', id ?? ''))
      .orderBy('page_shares.id', 'desc')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      project: row.project,
      page: row.page,
      pageId: row.page_id,
      createdBy: { id: row.created_by, name: row.creator ?? row.created_by },
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    }));
  }
}
