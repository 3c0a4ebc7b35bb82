import { spawn } from 'node:child_process';
import { once } from 'node:events';

export class GitFailure extends Error {}

/** Runs git on a bare repository of the tests'. */
export async function git(
  path: string,
  args: string[],
  { input = '' }: { input?: string } = {},
): Promise<Buffer> {
  const child = spawn('git', [`--git-dir=${path}`, ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      LC_ALL: 'C',
    },
  });
  const out: Buffer[] = [];
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (words: string) => (said += words));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new GitFailure(`git ${args.join(' ')}: ${said}`);
  return Buffer.concat(out);
}

/** What git says in one line; `undefined` where it fails. */
export async function line(path: string, ...args: string[]): Promise<string | undefined> {
  return git(path, args).then(
    (out) => out.toString().trim() || undefined,
    () => undefined,
  );
}
