/** The widget without a tag: as an ES module, and in an application of React that is built with Vite. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, whySkipped } from './browser.ts';
import { tryVerbs } from './verbs.ts';
import { startWidgetHost, type WidgetHost } from './widget-host.ts';

declare global {
  interface Window {
    application: {
      show(props: Record<string, unknown> | null): void;
      openByHook(): void;
    };
    events: unknown[][];
  }
}

test('the package holds every file that it names, and what those import', async () => {
  const folder = fileURLToPath(new URL('../../widget', import.meta.url));
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: folder });
  const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const inside = packed.files.map(({ path }) => path);
  expect(inside).toContain('LICENSE');
  const described = await readFile(join(folder, 'package.json'), 'utf8');
  const { exports } = JSON.parse(described) as { exports: object };
  const named = JSON.stringify(exports)
    .match(/\.\/[^"*]+(?=")/g)
    // The source is for the other packages of this repository.
    ?.filter((path) => /\.\w+$/.test(path) && !path.startsWith('./src/'))
    .map((path) => path.slice(2));
  expect(named?.length).toBeGreaterThanOrEqual(5);
  for (const path of named ?? []) {
    expect(inside).toContain(path);
    if (path.endsWith('.json')) continue;
    const text = await readFile(join(folder, path), 'utf8');
    for (const [, next = ''] of text.matchAll(/\bfrom ?["'](\.\/[\w./-]+)["']/g)) {
      expect(inside).toContain(join(dirname(path), next.replace(/\.ts$/, '.d.ts')));
    }
  }
});

if (chromiumPath === undefined) test('module', (context) => context.skip(whySkipped));
else
  describe('without a tag', () => {
    let host: WidgetHost;
    beforeAll(async () => {
      host = await startWidgetHost();
    });
    afterAll(() => host[Symbol.asyncDispose]());

    const openPage = (url: string) => host.visit(url);
    const widgets = (page: Page) => page.locator('docent-widget').count();

    describe('createDocent()', () => {
      const options = (more = '') =>
        `{ url: '${host.docent.url}/', site: 'kestrel-docs', key: '${host.docent.key}'${more} }`;
      const script = (body: string) =>
        `<script type="module" async nonce="n0nce">import { createDocent } from '${host.docent.url}/docent.mjs';
        ${body}</script>`;

      test('before there is a body, a question, a second call, after destroy; no global', async () => {
        const { page, faults, reader, close } = await openPage(
          host.put(
            '/module',
            host.document('', {
              head: script(`
                window.events = [];
                const first = createDocent(${options(", title: 'Wind desk', strings: { send: 'Go' }")});
                first.on('ready', (event) => events.push(['ready', event]));
                first.on('answer', (event) => events.push(['answer', event]));
                first.on('error', () => { throw new Error('of a handler'); });
                window.calls = {
                  ask: () => first.ask('How do I install Kestrel?'),
                  again: () => first === createDocent(${options(", theme: 'dark'")}),
                  other: () => { calls.last = createDocent(${options(", name: 'blog', position: 'left'")}); },
                  destroy: () => { first.destroy(); first.open(); first.update({ theme: 'light' }); },
                  anew: () => first === createDocent(${options()}),
                };`),
            }),
          ),
        );
        await reader.launcher().waitFor();
        await expect
          .poll(() => reader.launcher().getAttribute('aria-label'))
          .toContain('Wind desk');
        const calls = (name: string) =>
          page.evaluate(
            (verb) =>
              (window as unknown as { calls: Record<string, () => unknown> }).calls[verb]?.(),
            name,
          );
        await calls('ask');
        await reader.isDone();
        await expect
          .poll(() => page.evaluate(() => window.events))
          .toEqual([
            ['ready', { site: 'kestrel-docs' }],
            [
              'answer',
              {
                threadId: expect.any(String),
                messageId: expect.any(String),
                sources: expect.any(Number),
                status: 'answered',
                durationMs: expect.any(Number),
              },
            ],
          ]);
        // The options of the second call count: what they do not mention is as it was at first.
        expect(await calls('again')).toBe(true);
        await expect
          .poll(() => page.locator('docent-widget').getAttribute('data-theme'))
          .toBe('dark');
        await expect
          .poll(() => page.locator('docent-widget h2').first().textContent())
          .toBe('Ask the docs');
        await expect.poll(() => reader.get('send').getAttribute('aria-label')).not.toBe('Go');
        await calls('other');
        await expect.poll(() => widgets(page)).toBe(2);
        await calls('destroy');
        await expect.poll(() => widgets(page)).toBe(1);
        expect(await calls('anew')).toBe(false);
        await expect.poll(() => widgets(page)).toBe(2);
        expect(await page.evaluate(() => 'Docent' in window)).toBe(false);
        expect(await page.locator('head link').count()).toBe(0);
        expect(faults).toEqual([]);
        await close();
      });
      test('its methods do what they say', async () => {
        const { page, faults, reader, close } = await openPage(
          host.put(
            '/methods',
            host.document(
              script(`const docent = createDocent(${options()});
              window.callWidget = (verb, ...values) => docent[verb](...values);`),
            ),
          ),
        );
        await reader.launcher().waitFor();
        await tryVerbs(page);
        expect(faults).toEqual([]);
        await close();
      });
      test('mistakes are explained in its own words, and nothing is thrown', async () => {
        const { page, faults, close } = await openPage(
          host.put(
            '/mistakes',
            host.document(
              script(`window.made = [
                createDocent({ site: 'kestrel-docs', key: 'svc_dsc_1' }),
                createDocent({ url: '${host.docent.url}', key: 'svc_dsc_1' }),
                createDocent(),
                createDocent(${options(", theme: 'drak'")}),
              ]; for (const one of made) { one.open(); one.destroy(); }`),
            ),
          ),
        );
        await expect.poll(() => faults.length).toBe(4);
        const said = faults.join('\n');
        expect(said).toContain("write url: 'https://docent.example.com'");
        expect(said).toContain('site is missing: write site: "docs.example.com"');
        expect(said).toContain('createDocent: theme: "drak" is unknown: write one of auto');
        expect(await widgets(page)).toBe(0);
        await close();
      });
      test('under a policy of nonces and Trusted Types', async () => {
        const { faults, reader, close } = await openPage(
          host.put('/policy', {
            html: host.document(script(`createDocent(${options()});`)),
            headers: {
              'content-security-policy': `default-src 'none'; script-src 'nonce-n0nce'; style-src 'self'; connect-src ${host.docent.url}; require-trusted-types-for 'script'`,
            },
          }),
        );
        await reader.open();
        await reader.ask('How do I install Kestrel?');
        await reader.isDone();
        expect(faults).toEqual([]);
        await close();
      });
      test('what the service refuses has a code and a status', async () => {
        const { page, reader, close } = await openPage(
          host.put(
            '/refused',
            host.document(
              script(`window.events = [];
              const docent = createDocent(${options().replace(/svc_dsc_[\w-]+/, 'svc_dsc_wrong')});
              docent.on('error', (event) => events.push(event));
              docent.ask('How do I install Kestrel?');`),
            ),
          ),
        );
        await reader.get('notice').first().waitFor();
        await expect
          .poll(() => page.evaluate(() => window.events))
          .toEqual([{ kind: 'setup', retryable: false, code: 'unauthorized', status: 401 }]);
        await close();
      });
    });

    describe('in an application of React', () => {
      let application: string;
      beforeAll(async () => {
        application = await buildApplication(host);
      });

      test('asks a question, follows its props, and leaves nothing', async () => {
        const { page, faults, reader, close } = await openPage(
          host.put('/react', host.document(`<div id="root"></div>${application}`)),
        );
        await page.waitForFunction(() => 'application' in window);
        const show = (props: Record<string, unknown> | null) =>
          page.evaluate((given) => window.application.show(given), props);
        const html = () => page.evaluate(() => document.documentElement.outerHTML);
        const before = await html();
        // StrictMode shows it, takes it away and shows it again.
        await show({ title: 'Wind desk', strings: { send: 'Go' } });
        await reader.launcher().waitFor();
        await expect.poll(() => widgets(page)).toBe(1);
        await page.evaluate(() => window.application.openByHook());
        await reader.input().waitFor();
        await expect.poll(() => reader.get('send').getAttribute('aria-label')).toBe('Go');
        await reader.ask('How do I install Kestrel?');
        await reader.isDone();
        await reader.answer().getByText('Kestrel answers in words.').waitFor();
        const names = () => page.evaluate(() => window.events.map(([name]) => name));
        await expect.poll(names).toEqual(['ready', 'ready', 'open', 'question', 'answer']);
        // The conversation goes on while props change, and only the newest handlers hear of it.
        await show({ title: 'Gale desk', theme: 'dark', generation: 2 });
        await expect
          .poll(() => page.locator('docent-widget h2').first().textContent())
          .toBe('Gale desk');
        await expect
          .poll(() => page.locator('docent-widget').getAttribute('data-theme'))
          .toBe('dark');
        await expect.poll(() => reader.get('send').getAttribute('aria-label')).not.toBe('Go');
        expect(await reader.get('answer').count()).toBe(1);
        await reader.get('close').click();
        await expect
          .poll(() => page.evaluate(() => window.events.at(-1)))
          .toEqual(['close', {}, 2]);
        await show(null);
        await expect.poll(html).toBe(before);
        expect(await page.evaluate(() => 'Docent' in window)).toBe(false);
        // And once more, in the place where it stands.
        await show({ layout: 'inline' });
        await page.locator('#root docent-widget').waitFor();
        await reader.input().waitFor();
        await expect.poll(() => widgets(page)).toBe(1);
        await show({ layout: 'inline', name: 'blog' });
        await expect.poll(() => widgets(page)).toBe(1);
        await show(null);
        await expect.poll(html).toBe(before);
        expect(faults).toEqual([]);
        await close();
      });
    });
  });

const source = `
import { StrictMode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { Docent, useDocent } from '@docent/widget/react';

window.events = [];
const names = ['ready', 'open', 'close', 'question', 'answer', 'error'];

function Application({ props }) {
  const docent = useDocent(props?.name);
  useEffect(() => { window.application.openByHook = () => docent.open(); }, [docent]);
  if (!props) return null;
  const { generation = 1, ...rest } = props;
  const handlers = Object.fromEntries(names.map((name) => [
    'on' + name[0].toUpperCase() + name.slice(1),
    (event) => window.events.push([name, event, generation]),
  ]));
  return <Docent {...__SITE__} {...rest} {...handlers} />;
}

const root = createRoot(document.getElementById('root'));
window.application = {
  show: (props) => root.render(<StrictMode><Application props={props} /></StrictMode>),
};
`;

/** As its owner would build it: from the package's exports, with the real React. */
async function buildApplication(host: WidgetHost): Promise<string> {
  // Where what it imports is found.
  const here = dirname(fileURLToPath(import.meta.url));
  const folder = await mkdtemp(join(here, '..', 'node_modules', '.application-'));
  try {
    await writeFile(join(folder, 'main.jsx'), source);
    const { url, key } = host.docent;
    const built = (await build({
      root: folder,
      configFile: false,
      logLevel: 'error',
      define: {
        __SITE__: JSON.stringify({ url, site: 'kestrel-docs', siteKey: key }),
        // React's own checks are for those who build with it.
        'process.env.NODE_ENV': '"development"',
      },
      build: { write: false, rolldownOptions: { input: join(folder, 'main.jsx') } },
    })) as Rolldown.RolldownOutput;
    const code = built.output[0].code.replaceAll('</script', '<\\/script');
    return `<script type="module">${code}</script>`;
  } finally {
    await rm(folder, { recursive: true });
  }
}
