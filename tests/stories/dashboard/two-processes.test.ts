/** Sessions of two server processes on one PostgreSQL: what one ends, the other doesn't take any more. */
import {
  sharedPostgres,
  type TestPostgres,
  whyNoPostgres,
  postgresPrograms,
} from '@docent/server/testing';
import type { SessionInfo } from '@docent/shared/people';
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli, serve, writeConfig } from '../../support/cli.ts';
import { fixtureDocs, kestrel, temporaryFolder } from '../../support/fixture.ts';
import { cookieOf, password, send, sessionWith } from '../../support/person.ts';
import { waitFor } from '../../support/wait-for.ts';

const email = 'ada@kestrel.test';

describe('two processes', () => {
  if (postgresPrograms === undefined) {
    test('as one', (context) => context.skip(whyNoPostgres));
    return;
  }
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await sharedPostgres();
  });

  test('share sessions, their ends, and guesses', async () => {
    await using folder = await temporaryFolder();
    const config = await writeConfig(folder.path, {
      server: { port: 0, dataFolder: '.' },
      sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
    });
    const env = { DATABASE_URL: await postgres.createDatabase() };
    const [one, other] = await Promise.all([serve(config, { env }), serve(config, { env })]);
    await using _one = one;
    await using _other = other;

    // Both printed a token. Of two first administrators at two processes, one succeeds.
    const tokens = await Promise.all(
      [one, other].map(({ output }) =>
        waitFor('the printed token', () => /\?token=([\w-]{43})/.exec(output.stdout)?.[1]),
      ),
    );
    const made = await Promise.all(
      [one, other].map((server, index) =>
        send(server, '/v1/setup', { token: tokens[index], email, name: 'Ada', password }),
      ),
    );
    expect(made.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 401]);
    const cookie = made.map(cookieOf).find((each) => each !== '') ?? '';
    for (const server of [one, other]) {
      expect(await sessionWith(server, cookie)).toMatchObject({ state: 'signed-in' });
    }

    const second = cookieOf(await send(other, '/v1/session', { email, password }));
    const path = '/v1/people/me/sessions';
    const list = await fetch(one.url + path, { headers: { cookie } });
    const { sessions } = (await list.json()) as { sessions: SessionInfo[] };
    expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([false, true]);
    const ended = await send(one, `${path}/${sessions[0]?.id}`, {}, { cookie }, 'DELETE');
    expect(ended.status).toBe(204);
    expect(await sessionWith(other, second)).toMatchObject({ state: 'signed-out' });

    const third = cookieOf(await send(one, '/v1/session', { email, password }));
    expect((await send(other, path, {}, { cookie }, 'DELETE')).status).toBe(204);
    expect(await sessionWith(one, third)).toMatchObject({ state: 'signed-out' });
    expect(await sessionWith(one, cookie)).toMatchObject({ state: 'signed-in' });

    // Guesses count in both, and at the same time.
    const guesses = Array.from({ length: 24 }, (_, index) =>
      send(index % 2 === 0 ? one : other, '/v1/session', {
        email: 'nobody@kestrel.test',
        password: 'wrong',
      }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    // A new hour, with ten more, may begin meanwhile.
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(20);
    expect(statuses).toContain(429);

    const add = ['users', 'add', 'grace@kestrel.test', '--role', 'owner'];
    await runCli([...add, '--config', config], { env });
    await runCli(['users', 'disable', email, '--config', config], { env });
    for (const server of [one, other]) {
      expect(await sessionWith(server, cookie)).toMatchObject({ state: 'signed-out' });
    }
  });
});
