/** A real PostgreSQL for tests: an instance of their own in a folder of their own, on loopback. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** Folder of PostgreSQL's programs on this machine; `npm test` brings them where there are none. */
export const postgresPrograms = findPrograms();

export const whyNoPostgres =
  'PostgreSQL tests: no PostgreSQL on this machine; install it or set POSTGRES_BIN to the folder of its programs';

/** The name of whoever owns everything in the test's instance. It asks for no password. */
const superuser = 'docent';
const startMs = 30_000;

function findPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian)
    ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a))
    : [];
  return [
    process.env['POSTGRES_BIN'],
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
    '/opt/homebrew/opt/postgresql/bin',
  ].find((folder) => folder !== undefined && folder !== '' && existsSync(join(folder, 'initdb')));
}

/** PostgreSQL does not run as root: then it runs as a user that every system has. */
function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] =
    ['postgres', 'nobody']
      .map((name) => users.find((line) => line.startsWith(`${name}:`))?.split(':'))
      .find((user) => user !== undefined) ?? [];
  return { uid: Number(uid), gid: Number(gid) };
}

/** A folder in memory, if it has space for all instances. A database is 500 files, which cost a disk's file system three times as much. */
function inMemory(): string | undefined {
  const folder = '/dev/shm';
  if (!existsSync(folder)) return undefined;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 4 * 1024 ** 3 ? folder : undefined;
}

export type TestPostgres = Awaited<ReturnType<typeof startPostgres>>;

let shared: Promise<TestPostgres> | undefined;

/** The one instance of this process; it goes with it. For tests that keep to databases of their own. */
export const sharedPostgres = (): Promise<TestPostgres> =>
  (shared ??= startPostgres({ removesItself: true }));

/** Starts an instance; `await using` ends it. It also ends by itself when this process does. */
export async function startPostgres({ removesItself = false } = {}) {
  const programs = postgresPrograms ?? '';
  const user = otherUser();
  const folder = await mkdtemp(join(inMemory() ?? tmpdir(), 'docent-postgres-'));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  execFileSync(
    join(programs, 'initdb'),
    [
      ['-D', data, '-U', superuser, '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C'],
      // As usual, the database's own order is that of a language. Ours is by bytes.
      ['--locale-provider=icu', '--icu-locale=en-US'],
    ].flat(),
    { ...user, cwd: folder, stdio: 'ignore' },
  );
  let server = await start();
  let databases = 0;

  async function start() {
    const port = await freePort();
    return { port, ...(await run(port)) };
  }

  async function run(port: number) {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: String(port),
      unix_socket_directories: '',
      // Nothing in here has to outlive the test.
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '200',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    // The shell waits for its input to end, which it does also where the test's process is killed.
    const script =
      '"$@" 2>&1 & server=$!; cat >/dev/null; kill -INT $server; wait $server' +
      (removesItself ? '; cd /; rm -rf "$FOLDER"' : '');
    const child = spawn(
      '/bin/sh',
      ['-c', script, 'sh', join(programs, 'postgres'), '-D', data, ...flags],
      {
        ...user,
        cwd: folder,
        env: { ...process.env, FOLDER: folder },
        stdio: ['pipe', 'pipe', 'ignore'],
      },
    );
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const closed = once(child, 'close');
    await untilReady(port, () => output);
    return { child, closed };
  }

  async function stop(): Promise<void> {
    server.child.stdin.end();
    await server.closed;
  }

  const urlOf = (database: string) =>
    `postgres://${superuser}@127.0.0.1:${server.port}/${database}`;

  const nameOf = (url: string) => new URL(url).pathname.slice(1);

  /** As any other program would. */
  async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  return {
    query,
    /** A new database, empty or with what is in another one; gives its address. */
    async createDatabase(template = urlOf('template0')): Promise<string> {
      const name = `test_${databases++}`;
      await query(urlOf('postgres'), `create database ${name} template ${nameOf(template)}`);
      return urlOf(name);
    },
    /** Takes one of its databases away, also from whoever is still connected. */
    async dropDatabase(url: string): Promise<void> {
      await query(urlOf('postgres'), `drop database ${nameOf(url)} with (force)`);
    },
    /** Away, as when it is restarted. */
    stop,
    /** Back, at the same address. */
    async startAgain(): Promise<void> {
      server = { port: server.port, ...(await run(server.port)) };
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function untilReady(port: number, output: () => string): Promise<void> {
  const giveUp = Date.now() + startMs;
  for (;;) {
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: superuser,
      database: 'postgres',
    });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.end();
    } catch {
      if (Date.now() > giveUp) throw new Error(`PostgreSQL did not start:\n${output()}`);
      await pause(20);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
