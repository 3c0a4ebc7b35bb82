/** `npm start`: runs the demo, a documentation site with the assistant. */
import { watch } from 'node:fs';
import { relative, resolve } from 'node:path';
import { styleText } from 'node:util';
import { type Demo, startDemo } from './start-demo.ts';
import { runUntilStopped } from './src/run-until-stopped.ts';
import { StartError } from './src/start-error.ts';
import { readStartOptions, usage } from './src/start-options.ts';

export { type Demo, type DemoOptions, startDemo } from './start-demo.ts';

async function main(args: string[]): Promise<void> {
  const options = readStartOptions(args);
  if (options.help) return console.log(usage);
  // npm runs scripts in the package's folder, but relative paths start at the user's current folder.
  const from = process.env['INIT_CWD'] ?? process.cwd();
  const { docsFolder, port, sitePort } = options;
  const demo = await startDemo({
    docsFolder: docsFolder === undefined ? undefined : resolve(from, docsFolder),
    port,
    sitePort,
  });
  banner(demo);
  runUntilStopped(demo, options.watch ? watchDocs(demo) : undefined);
}

function banner({ siteUrl, docentUrl, dashboard, summary, agent }: Demo): void {
  const quiet = (text: string) => styleText('dim', text);
  console.log(`
  ${styleText(['bold', 'green'], 'Docent is ready.')} Open ${styleText(['bold', 'underline'], siteUrl)} and ask a question.

  ${quiet('Pages   ')} ${summary.name}, ${summary.pages} pages
  ${quiet('Model   ')} ${summary.model}
  ${quiet('Index   ')} ${summary.index}
  ${quiet('Service ')} ${docentUrl}

${dashboardLines(dashboard)}${agent ? agentLines(agent) : ''}  ${quiet('To stop, press Ctrl+C.')}
`);
}

/** Its address, or the one that makes the first account, which is one form. */
function dashboardLines(url: string | undefined): string {
  if (url === undefined) return '';
  const what = url.includes('token=')
    ? 'create your account of the dashboard'
    : 'open the dashboard';
  return `  ${styleText('bold', 'To see what readers ask,')} ${what}:
  ${styleText('underline', url)}

`;
}

/** How to create an agent job, in the dashboard or from a terminal. */
function agentLines({ jobUrl, adminKeyFile }: NonNullable<Demo['agent']>): string {
  const file = relative(process.cwd(), adminKeyFile);
  const key = `"Authorization: Bearer $(cat ${/^[\w./-]+$/.test(file) ? file : `'${file}'`})"`;
  const command = '{"type":"add-page","path":"release-notes.md","title":"Release notes"}';
  const body = `'{"command":${command}}'`;
  return `  ${styleText('bold', 'To change the documentation,')} press New job on the dashboard’s page Jobs, or use a terminal:
  curl ${jobUrl} -H ${key} -H 'Content-Type: application/json' -d ${body}

`;
}

/** Waits briefly after a change, because editors and git write several files at once. */
function watchDocs(demo: Demo): () => void {
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  const watcher = watch(demo.docsFolder, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(() => demo.refresh()).catch((error: unknown) => console.error(error));
    }, 150);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

/** Shows one sentence for errors that the user can fix, and the stack for others. */
function fail(error: unknown): never {
  const isForPeople =
    error instanceof StartError ||
    (error instanceof Error && ['ConfigError', 'DocentError'].includes(error.name));
  console.error(isForPeople ? `docent: ${(error as Error).message}` : error);
  process.exit(1);
}

if (import.meta.main) await main(process.argv.slice(2)).catch(fail);
