/** People who are signed in to the dashboard of a test's server. */
import type { Role } from '@docent/shared/people';
import type { TestDocent } from './start-docent.ts';

let count = 0;

/** Adds a person with a role, and signs them in as the server would. They have no password. */
export async function addPerson(
  { docent, url }: Pick<TestDocent, 'docent' | 'url'>,
  role: Role,
  organization = 'kestrel',
) {
  const { people, sessions, database } = docent.services;
  const email = `${role}-${++count}@kestrel.test`;
  const { person, token } = await database.transaction().execute(async (transaction) => {
    const person = await people.add(transaction, { email, name: `A ${role}`, passwordHash: null });
    await people.join(transaction, person.id, organization, role);
    const { token } = await sessions.start(transaction, {
      personId: person.id,
      organization,
      needsCode: false,
      address: '127.0.0.1',
      userAgent: 'tests',
    });
    return { person, token };
  });
  const cookie = `docent=${token}`;

  return {
    id: person.id,
    email,
    role,
    token,
    cookie,
    /** Sends a request as the dashboard's page does. */
    fetch: (path: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}) =>
      fetch(url + path, {
        method,
        headers: {
          cookie,
          origin: url,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/json',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
  };
}
