/** People who are signed in to the dashboard of a test's server. */
import type { Role, SessionReply } from '@docent/shared/people';
import type { TestDocent } from './start-docent.ts';

let count = 0;

/** A password that nobody guesses. */
export const password = 'a long walk by the sea';

type Server = Pick<TestDocent, 'url'>;

/** Sends a request as the pages before the sign-in do. */
export const send = ({ url }: Server, path: string, body: unknown, headers = {}, method = 'POST') =>
  fetch(url + path, {
    method,
    headers: { origin: url, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

export const cookieOf = (response: Response) =>
  (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

export const sessionWith = async ({ url }: Server, cookie = '') =>
  (await (await fetch(`${url}/v1/session`, { headers: { cookie } })).json()) as SessionReply;

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

  /** Sends a request as the dashboard's page does. */
  const ask = (path: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}) =>
    fetch(url + path, {
      method,
      headers: {
        cookie,
        origin: url,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  return {
    id: person.id,
    email,
    role,
    token,
    cookie,
    fetch: ask,
    /** Acts on a pull request of a local repository: `review('kestrel', 1, 'merge', head)`. */
    review: (
      project: string,
      number: number,
      action: 'merge' | 'close' | 'reopen' | 'ready',
      head?: string,
    ) =>
      ask(`/v1/projects/${project}/pulls/${number}/${action}`, { method: 'POST', body: { head } }),
  };
}
