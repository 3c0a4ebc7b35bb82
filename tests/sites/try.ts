/**
 * The script tag in real builds: for each generator, `docent init --yes` in a small site, a build with the generator's own
 * tool, and a question in Chromium. Run it with `pnpm sites:try [generator]…` after `pnpm build`. It needs what
 * `pnpm sites:record` needs, and `hugo` and `jekyll`. A generator whose program is missing is named.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../browser/browser.ts';
import { waitFor } from '../support/wait-for.ts';
import { installSite } from './build-site.ts';
import { otherSites, type RecordedSite, sites } from './sites.ts';

const cli = fileURLToPath(new URL('../../server/dist/cli.js', import.meta.url));
const wanted = process.argv.slice(2).map((one) => one.toLowerCase());
const kept = process.env['KEEP'];
const patienceMs = 60_000;
const question = 'What does the option --dry-run show?';
const built = /Sphinx|MyST|Hugo|Jekyll|Eleventy/;

for (const site of [...sites, ...otherSites]) {
  if (site.generator.includes(' in ')) continue;
  if (wanted.length > 0 && !wanted.includes(site.generator.toLowerCase())) continue;
  const folder = await mkdtemp(join(kept ?? tmpdir(), 'docent-try-'));
  try {
    console.log(`${site.generator}: ${await tryTag(site, folder)}`);
  } catch (error) {
    console.error(`${site.generator}: failed. ${(error as Error).message}`);
    process.exitCode = 1;
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
    else console.log(`  ${folder}`);
  }
}

async function tryTag(site: RecordedSite, folder: string): Promise<string> {
  const { versions, build } = await installSite(site, folder);
  const docent = (...args: string[]) =>
    execFileSync(process.execPath, [cli, ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  // What the build knows is in the index only once it's built.
  if (built.test(site.generator)) build();
  const output = join(folder, site.output);
  const web = await serveFolder(output, site.base ?? '/');
  let server: ChildProcess | undefined;
  const browser = await openBrowser();
  try {
    docent('init');
    // Other programs may have the usual ports, and an address of nobody is no place to read an answer.
    const port = await freePort();
    const config = join(folder, 'docent.config.mjs');
    const text = (await readFile(config, 'utf8'))
      .replace('export default {', `export default {\n  server: { port: ${port} },`)
      .replace(/allowedOrigins: \[.*\]/, `allowedOrigins: ['${web.origin}']`);
    await writeFile(config, text);
    const said = docent('init', '--yes');
    const tagIn = /^Inserted the script tag: (.*)\.$/m.exec(said)?.[1];
    if (tagIn === undefined) throw new Error(`The tag isn't placed:\n${said}`);
    build();
    docent('index');
    // docsify has no pages to compare with before a browser makes them.
    const checked = site.build.length === 0 ? '' : docent('check', '--site', output).trim();

    server = spawn(process.execPath, [cli, 'serve'], { cwd: folder, stdio: 'ignore' });
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/docent.js`).then(
        ({ ok }) => ok,
        () => false,
      );
    await waitFor('docent serve', isUp, patienceMs);
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    page.setDefaultTimeout(patienceMs);
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(web.origin + (site.start ?? site.base ?? '/'));
    await page.locator('docent-widget [part~=launcher]').click();
    await page.locator('docent-widget [part~=input]').fill(question);
    await page.keyboard.press('Enter');
    const citation = page.locator('docent-widget a.cite').first();
    await citation.waitFor();
    const answer = page.locator('docent-widget [part~=answer]').last();
    await answer.filter({ hasText: 'what the launch would change' }).waitFor();
    if (kept !== undefined) await page.screenshot({ path: join(folder, 'answer.png') });
    const cited = new URL((await citation.getAttribute('href')) ?? '', page.url());
    await page.goto(web.origin + cited.pathname + cited.hash);
    const id = decodeURIComponent(
      new URLSearchParams(cited.hash.split('?')[1]).get('id') ?? cited.hash.slice(1),
    );
    await page.locator(`[id="${id}"]`).first().waitFor({ state: 'attached' });
    const failed = errors.length === 0 ? '' : `; errors of the page: ${errors.join(' ')}`;
    return `tag in ${tagIn}; ${checked}; cited ${cited.pathname}${cited.hash} (${versions.join(', ')})${failed}`;
  } finally {
    await browser.close();
    web.close();
    if (server) {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    }
  }
}

/** As a static host: a folder's index, and pages without `.html`. */
async function serveFolder(folder: string, base: string) {
  const types: Record<string, string> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.mjs': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.json': 'application/json',
    '.wasm': 'application/wasm',
  };
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname);
    const below = path.startsWith(base) ? path.slice(base.length) : undefined;
    for (const name of below === undefined ? [] : [below, `${below}.html`, `${below}/index.html`]) {
      // oxlint-disable-next-line no-await-in-loop -- the first one counts
      const body = await readFile(join(folder, name)).catch(() => undefined);
      if (!body) continue;
      response.setHeader('content-type', types[extname(name)] ?? 'application/octet-stream');
      response.end(body);
      return;
    }
    response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
