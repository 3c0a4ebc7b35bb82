/** Nothing runs but what was built: a changed byte in any file, and pages that outlive an upgrade. */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Front, startFront } from '../support/front.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';
import { chromiumPath, whySkipped } from './browser.ts';
import { readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const dist = fileURLToPath(new URL('../../widget/dist', import.meta.url));
const sha256 = (content: string | Buffer) =>
  `sha256-${createHash('sha256').update(content).digest('base64')}`;
const answer = ['Run this:\n\n```bash\nnpx kestrel install\n```\n\nThen open the site.'];
const selectAll = (page: Page) =>
  page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector('#intro')!));

if (chromiumPath === undefined) test('verified files', (context) => context.skip(whySkipped));
else
  describe('the files of the widget', () => {
    let host: WidgetHost;
    let front: Front;
    let page: Page;
    let errors: string[];
    beforeAll(async () => {
      host = await startWidgetHost({ answer });
      front = await startFront(() => host.docent.url);
    });
    afterAll(async () => {
      await front[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      front.change(undefined);
      front.seen.length = 0;
      errors = [];
      page = await (await (await host.browser()).newContext()).newPage();
      page.on('pageerror', (error) => errors.push(error.message));
    });
    afterEach(async () => {
      await page.context().close();
      // Whatever is refused, nothing is thrown into the page.
      expect(errors).toEqual([]);
    });

    const tag = (attributes: Record<string, string | null> = {}) =>
      host.tag({ src: `${front.url}/docent.js`, ...attributes });
    const ran = () => page.evaluate(() => 'tampered' in globalThis);
    /** Changed files would do what their author likes; here: tell that they ran. */
    const tamperWith = (name: RegExp) =>
      front.change((path, text) => (name.test(path) ? `${text};globalThis.tampered=true` : text));

    test('untouched: all of it loads, each file once over the network, and the manifest is true', async () => {
      await page.goto(host.put('/whole', host.document(tag({ 'data-theme': 'mauve' }))));
      const reader = readerOf(page);
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      await selectAll(page);
      await expect
        .poll(() => front.seen.join())
        .toMatch(/prism-bash-.*offers-|offers-.*prism-bash-/s);
      const files = front.seen.filter((one) => one.includes('/widget/'));
      expect(files.toSorted()).toEqual([...new Set(files)].toSorted());
      const manifest = (await (await fetch(`${front.url}/widget/manifest.json`)).json()) as {
        loader: { path: string; integrity: string };
        files: Record<string, string>;
      };
      const built = (await readdir(join(dist, 'widget'))).filter((name) => name.endsWith('.js'));
      expect(Object.keys(manifest.files).toSorted()).toEqual(built.toSorted());
      for (const [name, integrity] of Object.entries(manifest.files)) {
        expect(sha256(await readFile(join(dist, 'widget', name)))).toBe(integrity);
      }
      const loader = await (await fetch(front.url + manifest.loader.path)).text();
      expect(sha256(loader)).toBe(manifest.loader.integrity);
    });

    test('a changed loader does not run where the tag has its hash; the page is as without it', async () => {
      tamperWith(/docent\.js$/);
      const integrity = sha256(await readFile(join(dist, 'docent.js')));
      await page.goto(
        host.put('/pinned', host.document(tag({ integrity, crossorigin: 'anonymous' }))),
      );
      expect(await page.locator('docent-widget').count()).toBe(0);
      expect(await ran()).toBe(false);
      expect(await page.locator('#install').innerText()).toBe('Install');
    });

    test.each(['panel', 'base', 'files'])(
      'a changed %s file does not run: the launcher says that it could not load, and tries again',
      async (name) => {
        tamperWith(new RegExp(`/widget/${name}-`));
        await page.goto(host.put('/page', host.document(tag())));
        const { launcher, get } = readerOf(page);
        await launcher().click();
        if (name === 'files') {
          // The panel is whole; what comes after it has no list to be checked against.
          await get('input').fill('How do I install Kestrel?');
          await get('input').press('Enter');
          await readerOf(page).isDone();
          await expect.poll(() => front.seen.join()).toContain('/widget/files-');
          expect(await page.evaluate(() => CSS.highlights.size)).toBe(0);
        } else {
          await expect.poll(() => launcher().getAttribute('data-state')).toBe('failed');
        }
        expect(await ran()).toBe(false);
      },
    );

    describe('behind the panel', () => {
      type Steps = readonly [
        names: string[],
        step: (reader: ReturnType<typeof readerOf>) => unknown,
      ][];
      /** The files that a reader comes to, and how. What does not come is done without. */
      const onOnePage: Steps = [
        [['offers'], () => selectAll(page)],
        [['explain'], () => update({ theme: 'mauve' })],
        [['card'], ({ get }) => get('cite').first().hover()],
        [
          ['markdown'],
          ({ answer }) => answer().locator('.actions').getByTestId('docent-copy').click(),
        ],
        [['export'], ({ get }) => choose(get, 'copy')],
        [['feedback-form', 'send-feedback'], ({ get }) => get('thumb-down').click()],
        [['question-editor'], ({ get }) => get('edit').click()],
        [['deflect'], () => enterSupportForm()],
      ];
      const onPagesOfTheirOwn: Steps = [
        [['landing'], () => followCitation()],
        [['hide-view'], ({ get }) => choose(get, 'hide')],
        [['page-report'], ({ get }) => choose(get, 'report')],
        [['person-view'], ({ get }) => choose(get, 'person')],
        [['threads'], ({ get }) => get('history').click()],
        [['hits'], (reader) => askInVain(reader, 502, { code: 'upstream_failed' })],
        [['consent-view'], () => update({ consent: 'required' })],
        // Last: the widget sends its question again on the next page.
        [['challenge'], (reader) => askInVain(reader, 403, { details: [{ path: 'X-Challenge' }] })],
      ];
      /** What some of these files import, and so ask for after they have come. */
      const imported: Record<string, string[]> = {
        'feedback-form': ['form-strings', 'reason-tags', 'use-styles'],
        'page-report': ['form-strings', 'form-view', 'reason-tags', 'use-styles'],
        'person-view': ['form-strings', 'form-view', 'use-styles'],
        landing: ['find-words'],
        offers: ['offer-text'],
        threads: ['use-styles'],
      };
      const choose = async (get: (name: string) => Locator, item: string) => {
        await get('menu').click();
        await get(`menu-${item}`).click();
      };
      const update = (patch: object) =>
        page.evaluate((values) => window.Docent?.('update', values), patch);
      const askInVain = async (
        reader: ReturnType<typeof readerOf>,
        status: number,
        body: object,
      ) => {
        const headers = { 'access-control-allow-origin': '*' };
        await page.route('**/message', (route) =>
          route.request().method() === 'POST'
            ? route.fulfill({ status, headers, json: { error: 'No.', requestId: 'r', ...body } })
            : route.continue(),
        );
        await reader.ask('And now?');
      };
      const enterSupportForm = async () => {
        await page.evaluate(() => {
          const field = document.createElement('textarea');
          field.id = 'ticket';
          document.body.append(field);
        });
        await update({ deflect: '#ticket' });
        await page.locator('#ticket').focus();
      };
      /** As a press on a citation of this page leaves it for the next one. */
      const followCitation = async () => {
        await page.evaluate(() => {
          const cited = { url: location.href, quote: 'Kestrel', claim: '', at: Date.now() };
          sessionStorage.setItem('docent:kestrel-docs:cited', JSON.stringify(cited));
        });
        await page.reload();
      };
      /** Goes to every file; those of `isChanged` are changed on their way. */
      async function goEverywhere(
        isChanged: (name: string) => boolean,
        here: Steps,
        apart: Steps,
      ): Promise<void> {
        const nameOf = (path: string) => /^\/widget\/([\w-]+)-[\w-]{10}\.js$/.exec(path)?.[1] ?? '';
        const changed = new Set<string>();
        front.change((path, text) => {
          const name = nameOf(path);
          if (!name || !isChanged(name)) return text;
          changed.add(name);
          return `${text};globalThis.tampered=true`;
        });
        /** Its answer is here as well: a page that is left would not wait for it. */
        const hasCome = (name: string) =>
          expect
            .poll(() =>
              isChanged(name)
                ? changed.has(name)
                : front.seen.some((one) => one.startsWith(`GET /widget/${name}-`)),
            )
            .toBe(true);
        await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
        await page.route('**/discovery/v1/site/**', (route) =>
          route.fulfill({
            headers: { 'access-control-allow-origin': '*' },
            json: {
              name: 'Kestrel',
              starterQuestions: [],
              pageReports: { createJobs: 'after-review', minNoteCharacters: 10 },
              handOver: { kind: 'form' },
            },
          }),
        );
        const url = host.put('/everywhere', host.document(tag()));
        await page.goto(url);
        const reader = readerOf(page);
        await reader.open();
        // Code in one language brings the highlighter.
        const changedLanguages = languages.filter((name) => isChanged(`prism-${name}`));
        const shown = changedLanguages.length > 0 ? changedLanguages : ['bash'];
        host.model?.once([
          `So. [1]\n\n${shown.map((name) => `\`\`\`${name}\n{ }\n\`\`\`\n`).join('\n')}`,
        ]);
        await reader.ask('How do I install Kestrel?');
        await reader.isDone();
        await hasCome('highlight');
        for (const language of translations.filter(isChanged)) {
          await update({ language });
          await hasCome(language);
        }
        for (const [at, [names, step]] of [...here, ...apart].entries()) {
          // The conversation goes along.
          if (at >= here.length) {
            await page.unroute('**/message');
            await page.goto(url);
            await reader.isDone();
          }
          await step(reader);
          const needed = names.flatMap((name) => imported[name] ?? []).filter(isChanged);
          for (const name of [...names, ...needed]) await hasCome(name);
          expect([names, await ran()]).toEqual([names, false]);
        }
        await expect.poll(() => [...changed].toSorted()).toEqual(built.filter(isChanged));
      }
      const built = readdirSync(join(dist, 'widget'))
        .filter((name) => name.endsWith('.js'))
        .map((name) => name.replace(/-[\w-]{10}\.js$/, ''));
      const translations = built.filter((name) => /^\w\w(-tw)?$/.test(name));
      const languages = built.flatMap((name) => /^prism-(.+)/.exec(name)?.[1] ?? []);
      const importing = (steps: Steps) =>
        steps.filter(([names]) => names.some((name) => name in imported));
      const namesOf = (steps: Steps) => steps.flatMap(([names]) => names);
      const grammars = built.filter((name) => name.startsWith('prism-'));
      /** Grammars that build on others come after these, so they are changed on pages of their own. */
      const later = [['javascript', 'go', 'java'], ['typescript', 'jsx'], ['tsx']].map((names) =>
        names.map((name) => `prism-${name}`),
      );
      const groups: [what: string, names: string[], here?: Steps, apart?: Steps][] = [
        ['what one page needs', ['highlight', ...namesOf(onOnePage)], onOnePage],
        ['what other pages need', namesOf(onPagesOfTheirOwn), [], onPagesOfTheirOwn],
        [
          'what these files need',
          [...new Set(Object.values(imported).flat())],
          importing(onOnePage),
          importing(onPagesOfTheirOwn),
        ],
        [
          'translations, and grammars that need no others',
          [...translations, ...grammars.filter((name) => !later.flat().includes(name))],
        ],
        ...later.map((names): [string, string[]] => [names.join(), names]),
      ];

      test.each(groups)('%s: does not run where it was changed', async (_, names, here, apart) => {
        await goEverywhere((name) => names.includes(name), here ?? [], apart ?? []);
        expect(await ran()).toBe(false);
      });

      test('these are all files but the first, which have tests of their own', () => {
        const first = ['panel', 'base', 'files'];
        expect([...first, ...groups.flatMap(([, names]) => names)].toSorted()).toEqual(built);
      });
    });

    test.each([
      [
        'did not come',
        (path: string, text: string) => (/\/(base|view)-/.test(path) ? undefined : text),
      ],
      ['was broken on its way', (_: string, text: string) => `${text} `],
    ])('a file that %s is fetched anew with the next try, and works', async (_, change) => {
      front.change(change);
      await page.goto(host.put('/page', host.document(tag())));
      const reader = readerOf(page);
      await reader.launcher().click();
      await expect.poll(() => reader.launcher().getAttribute('data-state')).toBe('failed');
      front.change(undefined);
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
    });
  });

if (chromiumPath !== undefined)
  describe('pages that outlive an upgrade', () => {
    let host: WidgetHost;
    let folder: string;
    let upgraded: TestDocent | undefined;
    let front: Front;
    let page: Page;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'docent-upgrade-'));
      host = await startWidgetHost({ answer });
      front = await startFront(() => (upgraded ?? host.docent).url);
    });
    afterAll(async () => {
      await front[Symbol.asyncDispose]();
      await host[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    });
    afterEach(async () => {
      await page.context().close();
      await upgraded?.[Symbol.asyncDispose]();
      upgraded = undefined;
    });

    const open = async (path: string, attributes: Record<string, string | null>) => {
      page = await (await (await host.browser()).newContext()).newPage();
      await page.goto(host.put(path, host.document(host.tag(attributes))));
      await readerOf(page).launcher().waitFor();
    };
    /** A newer build: its files have other names, and the old names are gone. */
    async function upgrade(): Promise<void> {
      const next = await mkdtemp(join(folder, 'next-'));
      await cp(dist, next, { recursive: true });
      const rename = (text: string) => text.replaceAll(/-([\w-]{7})([\w-]{3})(?=\.js\b)/g, '-$2$1');
      for (const name of await readdir(next, { recursive: true })) {
        const path = join(next, name);
        if (/\.(br|gz)$/.test(name)) await rm(path);
        if (!name.endsWith('.js')) continue;
        const text = await readFile(path, 'utf8');
        await rm(path);
        await writeFile(join(next, rename(name)), rename(text));
      }
      upgraded = await startDocent({
        ...(host.model && { model: host.model }),
        site: { allowedOrigins: [host.origin] },
        widgetFolder: next,
      });
      // The same keys, as it would have them.
      await upgraded.docent.services.database
        .insertInto('keys')
        .values(
          await host.docent.docent.services.database
            .selectFrom('keys')
            .selectAll()
            .where('id', '=', host.docent.keyInfo.id)
            .executeTakeFirstOrThrow(),
        )
        .execute();
    }
    const askAndRead = async () => {
      const reader = readerOf(page);
      await reader.open();
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      await expect.poll(() => reader.answer().innerText()).toContain('npx kestrel install');
    };
    const loads = (name: string) => front.seen.filter((one) => one.includes(name)).length;

    test('a tab that stood open goes on with the newer panel', async () => {
      await open('/tab', { src: `${front.url}/docent.js` });
      await upgrade();
      await askAndRead();
      expect(loads('/widget/v1/panel.js')).toBe(1);
    });

    test('a pinned tag runs nothing else', async () => {
      const integrity = sha256(await readFile(join(dist, 'docent.js')));
      await open('/pin', { src: `${front.url}/docent.js`, integrity, crossorigin: 'anonymous' });
      await upgrade();
      const { launcher } = readerOf(page);
      await launcher().click();
      await expect.poll(() => launcher().getAttribute('data-state')).toBe('failed');
    });
  });
