/** Single-use links that make or restore an account: setup, invitation, reset. Rows hold only their hashes. */
import { hashToken, makeSecret } from '../../platform/auth/tokens.ts';
import { newId } from '../../platform/ids.ts';
import { hourMs } from '../../platform/time.ts';
import type { Config } from '../../platform/config/schema.ts';
import type { Database, Tables } from '../../platform/store/database.ts';
import type { People } from './people.ts';

type NewToken = Pick<Tables['person_tokens'], 'purpose'> &
  Partial<
    Pick<Tables['person_tokens'], 'email' | 'organization' | 'role' | 'person_id' | 'created_by'>
  >;

const hoursOf = { setup: 24, reset: 24, invitation: 7 * 24 };

/** Makes a token. It's in the result and nowhere else. */
export async function makePersonToken(
  database: Database,
  now: Date,
  token: NewToken,
): Promise<{ token: string; row: Tables['person_tokens'] }> {
  const text = makeSecret();
  const row = await database
    .insertInto('person_tokens')
    .values({
      ...token,
      id: newId(),
      hash: hashToken(text),
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + hoursOf[token.purpose] * hourMs).toISOString(),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { token: text, row };
}

/** The row of a valid token, without using it up. */
export async function findPersonToken(
  database: Database,
  now: Date,
  purpose: Tables['person_tokens']['purpose'],
  token: string,
): Promise<Tables['person_tokens'] | undefined> {
  return database
    .selectFrom('person_tokens')
    .selectAll()
    .where('hash', '=', hashToken(token))
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now.toISOString())
    .executeTakeFirst();
}

export async function useLinksOf(
  transaction: Database,
  now: Date,
  personId: string,
): Promise<void> {
  await transaction
    .updateTable('person_tokens')
    .set({ used_at: now.toISOString() })
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .execute();
}

/** Uses up a token; `false`: somebody else has. Part of the transaction of what the token allows. */
export async function usePersonToken(
  transaction: Database,
  now: Date,
  id: string,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('person_tokens')
    .set({ used_at: now.toISOString() })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function deleteOldPersonTokens(database: Database, now: Date): Promise<void> {
  await database.deleteFrom('person_tokens').where('expires_at', '<=', now.toISOString()).execute();
}

/** The address where the first account is made, with a new token; undefined: there is an account. */
export async function setupAddress(
  {
    people,
    config,
  }: { people: Pick<People, 'exist' | 'setupToken'>; config: Pick<Config, 'dashboard'> },
  baseUrl: string,
): Promise<string | undefined> {
  // Without passwords, people come through the identity provider or with a link.
  const { enabled, passwords } = config.dashboard;
  if (!enabled || !passwords || (await people.exist())) return undefined;
  const { token } = await people.setupToken();
  return `${baseUrl}/dashboard/setup?token=${token}`;
}

/** An address that lets a person sign in once, within 24 hours, and choose a password. */
export async function signInAddress(
  { database, now }: { database: Database; now: () => Date },
  personId: string,
  baseUrl: string,
): Promise<string> {
  const { token } = await makePersonToken(database, now(), {
    purpose: 'reset',
    person_id: personId,
  });
  return `${baseUrl}/dashboard/link?token=${token}`;
}
