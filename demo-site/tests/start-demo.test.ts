/** The demo as a process: it starts, answers from the folder, and stops. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { startDemo } from '../start.ts';
import { docsFolder } from './docs-folder.ts';

const command = fileURLToPath(new URL('../start.ts', import.meta.url));
const runner = new URL('../src/run-until-stopped.ts', import.meta.url).href;

const compiled = fileURLToPath(new URL('../../node_modules/.cache/docent-tests', import.meta.url));

/** Runs a script that imports the demo, with what earlier runs have compiled. */
function run(script: string, docs: string) {
  const cached = `(await import('node:module')).enableCompileCache(${JSON.stringify(compiled)});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', cached + script, docs], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Sends the signal when the output says that the child has started. */
async function stopped(child: ReturnType<typeof run>, started: RegExp, signal: NodeJS.Signals) {
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += data.toString();
    if (started.test(output) && !child.killed) child.kill(signal);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { output, code };
}

test('starts Docent and a site with its tag, and keeps the key', async () => {
  const docs = docsFolder({
    'index.md': '# Widgets\n\n## Painting\n\nWidgets are painted blue.',
  });
  const dataFolder = docsFolder({});
  const start = () =>
    startDemo({ docsFolder: docs, dataFolder, port: 0, sitePort: 0, log: () => {} });

  const demo = await start();
  try {
    const page = await (await fetch(demo.siteUrl)).text();
    expect(page).toContain(`src="${demo.docentUrl}/docent.js"`);
    expect(page).toContain(`data-key="${demo.key}"`);
    // The address that it prints leads to one form, which makes the account.
    const setup = new URL(demo.dashboard ?? '');
    expect(setup.pathname).toBe('/dashboard/setup');
    const account = {
      token: setup.searchParams.get('token'),
      email: 'ada@example.com',
      name: 'Ada',
      password: 'a long walk by the sea',
    };
    const made = await fetch(`${demo.docentUrl}/v1/setup`, {
      method: 'POST',
      headers: { origin: demo.docentUrl, 'content-type': 'application/json' },
      body: JSON.stringify(account),
    });
    expect(made.status).toBe(201);
    const domain = /data-site="([^"]+)"/.exec(page)?.[1];
    const answer = await fetch(`${demo.docentUrl}/discovery/v2/assistant/${domain}/message`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${demo.key}`,
        'content-type': 'application/json',
        origin: demo.siteUrl,
      },
      body: JSON.stringify({
        fp: 'anonymous',
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'How are widgets painted?' }] }],
      }),
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe(demo.siteUrl);
    expect(await answer.text()).toContain(`"url":"${demo.siteUrl}/#painting"`);
    const adminKey = readFileSync(demo.agent?.adminKeyFile ?? '', 'utf8').trim();
    const run = await fetch(`${demo.docentUrl}/v1/index/${domain}`, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    expect(await run.json()).toMatchObject({ status: 'complete', report: { pages: 1 } });
  } finally {
    await demo.close();
  }

  const again = await start();
  await again.close();
  expect(again.dashboard).toBe(`${again.docentUrl}/dashboard`);
  expect(again.key).toBe(demo.key);
});

test('starts without git, says what is missing, and stops', async () => {
  const docs = docsFolder({ 'index.md': '# Home\n\nText.' });
  const script = `
    import processes from 'node:child_process';
    import { syncBuiltinESMExports } from 'node:module';
    // Docent looks for git in the system's folders, not in PATH. Here, they contain no git.
    const { spawn } = processes;
    processes.spawn = (command, ...rest) => spawn(command === 'git' ? '/nowhere/git' : command, ...rest);
    syncBuiltinESMExports();
    const { startDemo } = await import(${JSON.stringify(command)});
    const { runUntilStopped } = await import(${JSON.stringify(runner)});
    const demo = await startDemo({ docsFolder: process.argv[1], dataFolder: process.argv[1] + '/.data', port: 0, sitePort: 0 });
    runUntilStopped(demo);
    console.log('page', (await fetch(demo.siteUrl)).status, 'agent', demo.agent);`;
  const { output, code } = await stopped(run(script, docs), /page \d+/, 'SIGTERM');
  expect(output).toContain('git isn’t installed. The assistant works, but agent jobs need git.');
  expect(output).toContain('page 200 agent undefined');
  expect(output).toContain('Stopped');
  expect(code).toBe(0);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s stops servers cleanly', async (signal) => {
  const script = `
    const { createServer } = await import('node:http');
    const { runUntilStopped } = await import(${JSON.stringify(runner)});
    const server = createServer().listen(0, '127.0.0.1', () => {
      runUntilStopped({ siteUrl: '', close: async () => server.close() });
      console.log('up');
    });`;
  const { output, code } = await stopped(run(script, ''), /up/, signal);
  expect(output).toContain('Stopped');
  expect(code).toBe(0);
});
