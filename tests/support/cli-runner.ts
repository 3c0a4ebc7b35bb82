/** A process that runs commands of the command line, one after the other, for `cli.ts`. */
import { pathToFileURL } from 'node:url';

/** What it writes behind the output of a command. */
export const endOfRun = '\u0000end of the command\u0000';

interface Command {
  args: string[];
  env: Record<string, string>;
  cwd: string;
}

if (import.meta.main) serveCommands(process.argv[2] ?? '');

function serveCommands(cli: string): void {
  const { href } = pathToFileURL(cli);
  let runs = 0;
  let isRunning = false;

  process.on('message', ({ args, env, cwd }: Command) => {
    process.chdir(cwd);
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, env);
    process.argv.splice(1, Infinity, cli, ...args);
    isRunning = true;
    // It ends as in a process of its own: when nothing is left to wait for.
    process.channel?.unref();
    // The entry runs anew; what it imports is loaded already.
    runs += 1;
    void import(`${href}?run=${runs}`);
  });
  process.on('beforeExit', (code) => {
    if (!isRunning) return;
    isRunning = false;
    process.exitCode = undefined;
    process.channel?.ref();
    process.stdout.write(endOfRun);
    process.stderr.write(endOfRun);
    process.send?.(code);
  });
  process.on('disconnect', () => process.exit());
}
