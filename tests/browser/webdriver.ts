/** Firefox and WebKitGTK from Debian, over WebDriver. Chromium is tested with playwright-core. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitFor } from '../support/wait-for.ts';
import { freePort } from '../support/documented-proxies.ts';

export interface Driven {
  open(url: string): Promise<void>;
  /** The value of an expression in the page, as JSON. */
  evaluate<Value>(expression: string): Promise<Value>;
  /** What fingers do; both protocols write it the same way. */
  act(devices: readonly object[]): Promise<void>;
  close(): Promise<void>;
}

interface Kind {
  /** The Debian packages. */
  packages: string;
  files: readonly string[];
  start: () => Promise<Driven>;
}

const miniBrowser = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-4.1/MiniBrowser`)
  .find((file) => existsSync(file));

export const browsers: Readonly<Record<string, Kind>> = {
  firefox: { packages: 'firefox-esr', files: ['/usr/bin/firefox-esr'], start: startFirefox },
  webkit: {
    packages: 'webkit2gtk-driver xvfb',
    files: ['/usr/bin/WebKitWebDriver', '/usr/bin/Xvfb', miniBrowser ?? '/…/MiniBrowser'],
    start: startWebKit,
  },
};

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill();
  await ended;
}

/** Firefox speaks WebDriver BiDi without a driver beside it. */
async function startFirefox(): Promise<Driven> {
  const profile = await mkdtemp(join(tmpdir(), 'docent-firefox-'));
  const child = spawn(
    'firefox-esr',
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const address = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('Firefox ended')));
    createInterface(child.stderr).on('line', (line) => {
      const [, found] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
      if (found) resolve(found);
    });
  });
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error('Firefox refused the connection'));
  });
  let last = 0;
  const send = <Result>(method: string, params: object) =>
    new Promise<Result>((resolve, reject) => {
      const id = ++last;
      const onMessage = ({ data }: MessageEvent<string>) => {
        const reply = JSON.parse(data) as { id?: number; result?: Result; message?: string };
        if (reply.id !== id) return;
        socket.removeEventListener('message', onMessage);
        if (reply.result === undefined) reject(new Error(`${method}: ${reply.message}`));
        else resolve(reply.result);
      };
      socket.addEventListener('message', onMessage);
      socket.send(JSON.stringify({ id, method, params }));
    });
  await send('session.new', { capabilities: {} });
  const tree = await send<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  const context = tree.contexts[0]?.context;
  return {
    async open(url) {
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async evaluate<Value>(expression: string) {
      const { result, exceptionDetails } = await send<{
        result?: { value?: string };
        exceptionDetails?: { text: string };
      }>('script.evaluate', {
        expression: `JSON.stringify(${expression} ?? null)`,
        target: { context },
        awaitPromise: false,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.text);
      return JSON.parse(result?.value ?? 'null') as Value;
    },
    async act(actions) {
      await send('input.performActions', { context, actions });
    },
    async close() {
      socket.close();
      await end(child);
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** WebKitGTK needs a display, and its driver speaks WebDriver over HTTP. */
async function startWebKit(): Promise<Driven> {
  const port = await freePort();
  const display = spawn(
    'Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  const number = await new Promise<string>((resolve, reject) => {
    display.once('exit', () => reject(new Error('Xvfb ended')));
    display.stdio[3]?.once('data', (data: Buffer) => resolve(data.toString().trim()));
  });
  const child = spawn('WebKitWebDriver', [`--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, DISPLAY: `:${number}` },
  });
  const send = async <Value>(method: string, path: string, body?: object): Promise<Value> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: Value & { message?: string } };
    if (!response.ok) throw new Error(`${path}: ${value.message}`);
    return value;
  };
  await waitFor('WebKitWebDriver', () => send<object>('GET', '/status').catch(() => undefined));
  const options = { binary: miniBrowser, args: ['--automation'] };
  const { sessionId } = await send<{ sessionId: string }>('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
  });
  const session = `/session/${sessionId}`;
  return {
    async open(url) {
      await send('POST', `${session}/url`, { url });
    },
    evaluate: (expression) =>
      send('POST', `${session}/execute/sync`, {
        script: `return (${expression}) ?? null`,
        args: [],
      }),
    async act(actions) {
      await send('POST', `${session}/actions`, { actions });
    },
    async close() {
      await send('DELETE', session);
      await end(child);
      await end(display);
    },
  };
}
