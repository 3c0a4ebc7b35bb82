/**
 * Sessions of the dashboard: a random token in a cookie, and its hash in a row. Nothing is cached, so
 * ending a session works from the next request on, in every process.
 */
import type { SessionInfo } from '@docent/shared/people';
import { hashToken, isSecret, makeSecret } from '../../platform/auth/tokens.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { hourMs } from '../../platform/time.ts';
import type { Database } from '../../platform/store/database.ts';
import { type Session } from '../../platform/auth/caller.ts';

export interface Browser {
  address: string;
  userAgent: string;
}

/** How long a sign-in may lack its code. */
const codeWaitsMs = 15 * 60_000;

/** The last use is written at most this often, to save writes. */
const lastUseEveryMs = 60_000;

/** Ends the sessions of a person: all, those in one organization, or all but one. Returns how many. */
export async function endSessions(
  transaction: Database,
  personId: string,
  { organization, exceptId }: { organization?: string; exceptId?: string | undefined } = {},
): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('sessions')
    .where('person_id', '=', personId)
    .$if(organization !== undefined, (rows) => rows.where('organization', '=', organization ?? ''))
    .$if(exceptId !== undefined, (rows) => rows.where('id', '!=', exceptId ?? ''))
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(deps: {
  database: Database;
  now: () => Date;
  config: Pick<Config, 'dashboard'>;
}) {
  const { database, now } = deps;
  const { idleHours, sessionHours } = deps.config.dashboard;
  const idleSince = () => new Date(now().getTime() - idleHours * hourMs).toISOString();
  /** Those that aren't over. */
  const current = () =>
    database
      .selectFrom('sessions')
      .where('sessions.expires_at', '>', now().toISOString())
      .where('sessions.last_used_at', '>', idleSince());

  return {
    /** Starts a session. Its token is in the result and nowhere else. */
    async start(
      transaction: Database,
      session: Browser & { personId: string; organization: string; needsCode: boolean },
    ): Promise<{ id: string; token: string }> {
      const token = makeSecret();
      const id = newId();
      const time = now();
      const lastsMs = session.needsCode ? codeWaitsMs : sessionHours * hourMs;
      await transaction
        .insertInto('sessions')
        .values({
          id,
          hash: hashToken(token),
          person_id: session.personId,
          organization: session.organization,
          needs_code: session.needsCode ? 1 : 0,
          created_at: time.toISOString(),
          last_used_at: time.toISOString(),
          expires_at: new Date(time.getTime() + lastsMs).toISOString(),
          address: session.address,
          user_agent: session.userAgent.slice(0, 300),
        })
        .execute();
      await transaction
        .updateTable('people')
        .set({ last_seen_at: time.toISOString() })
        .where('id', '=', session.personId)
        .execute();
      return { id, token };
    },

    /**
     * The session behind a token; `undefined` where it's unknown, over, or its person is disabled or no
     * longer in the organization.
     */
    async find(token: string): Promise<Session | undefined> {
      if (!isSecret(token)) return undefined;
      const time = now();
      const row = await current()
        .innerJoin('people', 'people.id', 'sessions.person_id')
        .innerJoin('memberships', (join) =>
          join
            .onRef('memberships.person_id', '=', 'sessions.person_id')
            .onRef('memberships.organization', '=', 'sessions.organization'),
        )
        .selectAll('people')
        .select([
          'sessions.id as session_id',
          'sessions.organization',
          'sessions.needs_code',
          'sessions.last_used_at',
          'sessions.created_at as started_at',
          'memberships.role',
        ])
        .where('sessions.hash', '=', hashToken(token))
        .where('people.disabled_at', 'is', null)
        .executeTakeFirst();
      if (!row) return undefined;
      const { session_id: id, started_at: startedAt, ...rest } = row;
      const { organization, needs_code, last_used_at, role, ...person } = rest;
      if (time.getTime() - Date.parse(last_used_at) >= lastUseEveryMs) {
        await noteUse(id, person.id, time.toISOString());
      }
      return { id, person, organization, role, startedAt, needsCode: needs_code === 1 };
    },

    /** The sessions of a person that aren't over, the newest first. */
    async list(personId: string, currentId?: string): Promise<SessionInfo[]> {
      const rows = await current()
        .selectAll()
        .where('person_id', '=', personId)
        .where('needs_code', '=', 0)
        .orderBy('id', 'desc')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        isCurrent: row.id === currentId,
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
        expiresAt: row.expires_at,
        address: row.address,
        userAgent: row.user_agent,
      }));
    },

    async countOf(personIds: readonly string[]): Promise<Map<string, number>> {
      if (personIds.length === 0) return new Map();
      const rows = await current()
        .select((sessions) => ['person_id', sessions.fn.countAll().as('count')])
        .where('person_id', 'in', personIds)
        .where('needs_code', '=', 0)
        .groupBy('person_id')
        .execute();
      return new Map(rows.map(({ person_id, count }) => [person_id, Number(count)]));
    },

    async end(personId: string, id: string): Promise<void> {
      const { numDeletedRows } = await database
        .deleteFrom('sessions')
        .where('person_id', '=', personId)
        .where('id', '=', id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new DocentError('not_found', 'There is no such session.');
    },

    async renew(id: string): Promise<string> {
      const token = makeSecret();
      const rows = database.updateTable('sessions').set({ hash: hashToken(token) });
      await rows.where('id', '=', id).execute();
      return token;
    },

    async moveTo(id: string, organization: string): Promise<void> {
      await database.updateTable('sessions').set({ organization }).where('id', '=', id).execute();
    },

    /** Deletes those that are over. */
    async deleteOld(): Promise<void> {
      const time = now().toISOString();
      await database
        .deleteFrom('sessions')
        .where((or) => or.or([or('expires_at', '<=', time), or('last_used_at', '<=', idleSince())]))
        .execute();
    },
  };

  async function noteUse(id: string, personId: string, time: string): Promise<void> {
    await database
      .updateTable('sessions')
      .set({ last_used_at: time })
      .where('id', '=', id)
      .execute();
    await database
      .updateTable('people')
      .set({ last_seen_at: time })
      .where('id', '=', personId)
      .execute();
  }
}
