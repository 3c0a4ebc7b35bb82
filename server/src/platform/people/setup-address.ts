import type { People } from './people.ts';

/** The address where the first account is made, with a new token; undefined: there is an account. */
export async function setupAddress(
  { people }: { people: Pick<People, 'exist' | 'setupToken'> },
  baseUrl: string,
): Promise<string | undefined> {
  if (await people.exist()) return undefined;
  const { token } = await people.setupToken();
  // The log shows this address, and removes what is called a token.
  return `${baseUrl}/dashboard/setup?code=${token}`;
}
