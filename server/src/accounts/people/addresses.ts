import type { Config } from '../../platform/config/schema.ts';
import type { People } from './people.ts';
import { makePersonToken } from './person-tokens.ts';
import type { Database } from '../../platform/store/database.ts';

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
