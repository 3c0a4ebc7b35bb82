/** `npm start`: the assistant on a documentation site, on this machine, without a key or an account. */
import { watch } from 'node:fs';
import { relative, resolve } from 'node:path';
import { styleText } from 'node:util';
import { type Demo, startDemo } from './start-demo.ts';
import { StartError } from './src/start-error.ts';
import { readStartOptions, usage } from './src/start-options.ts';

export { type Demo, type DemoOptions, startDemo } from './start-demo.ts';

async function main(args: string[]): Promise<void> {
  const options = readStartOptions(args);
  if (options.help) return console.log(usage);
  // npm runs scripts in the package's folder; a relative path is meant from where the person stands.
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

/** Ctrl+C and SIGTERM let running answers finish; the second time ends the process at once. */
export function runUntilStopped(demo: Demo, beforeStop?: () => void): void {
  let isStopping = false;
  const stop = () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    beforeStop?.();
    console.log('\n  Stopping …');
    demo.close().then(() => {
      console.log('  Stopped.');
      process.exit(0);
    }, fail);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
}

function banner({ siteUrl, docentUrl, summary, agent }: Demo): void {
  const quiet = (text: string) => styleText('dim', text);
  console.log(`
  ${styleText(['bold', 'green'], 'Docent is ready.')} Open ${styleText(['bold', 'underline'], siteUrl)} and ask a question.

  ${quiet('Pages   ')} ${summary.name}, ${summary.pages} pages
  ${quiet('Model   ')} ${summary.model}
  ${quiet('Index   ')} ${summary.index}
  ${quiet('Service ')} ${docentUrl}

${agent ? agentLines(agent) : ''}  ${quiet('Ctrl+C stops it.')}
`);
}

/** How a change becomes a pull request: by a page, or from a terminal. */
function agentLines({ pageUrl, jobUrl, adminKeyFile }: NonNullable<Demo['agent']>): string {
  const file = relative(process.cwd(), adminKeyFile);
  const key = `"Authorization: Bearer $(cat ${/^[\w./-]+$/.test(file) ? file : `'${file}'`})"`;
  const command = '{"type":"add-page","path":"release-notes.md","title":"Release notes"}';
  const body = `'{"command":${command}}'`;
  return `  ${styleText('bold', 'Have the documentation changed:')} choose a change, review the pull request.
  ${styleText('underline', pageUrl)}

  ${styleText('dim', 'or from a terminal:')}
  curl ${jobUrl} -H ${key} -H 'Content-Type: application/json' -d ${body}

`;
}

/** Several files change at once when an editor or git writes; they are read together. */
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

/** What a person can put right is a sentence; anything else keeps its stack for a report. */
function fail(error: unknown): never {
  const isForPeople =
    error instanceof StartError ||
    (error instanceof Error && ['ConfigError', 'DocentError'].includes(error.name));
  console.error(isForPeople ? `docent: ${(error as Error).message}` : error);
  process.exit(1);
}

if (import.meta.main) await main(process.argv.slice(2)).catch(fail);
