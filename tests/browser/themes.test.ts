/** Light and dark as the page has it, in colours that can be read; what an owner can change of them. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chromiumPath, whySkipped } from './browser.ts';
import { findUnreadable } from './contrast.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

const background = { light: 'rgb(255, 255, 255)', dark: 'rgb(25, 27, 31)' };
const answer = [
  'Run **the installer** with `kestrel` [1].\n\n> Mind the vane.\n\n```sh\n# set up\nnpm install "kestrel" --vane 3\n```\n\n| Option | Default |\n|---|---|\n| `vane` | 1 |\n',
];

if (chromiumPath === undefined) test('themes', (context) => context.skip(whySkipped));
else
  describe('themes', () => {
    let host: WidgetHost;
    let page: Page;
    let faults: string[];
    beforeAll(async () => {
      host = await startWidgetHost({ answer });
    });
    afterAll(() => host[Symbol.asyncDispose]());
    afterEach(async () => {
      await page.close();
      expect(faults).toEqual([]);
    });

    beforeEach(async () => {
      page = await (await host.browser()).newPage();
      faults = collectFaults(page);
    });

    /** The launcher alone. Later pages of a test take the place of the one before. */
    async function load(attributes: Record<string, string> = {}, head = '') {
      await page.goto(
        host.put(`/${crypto.randomUUID()}`, host.document(host.tag(attributes), { head })),
      );
      const reader = readerOf(page);
      await reader.launcher().waitFor();
      return reader;
    }
    async function open(attributes: Record<string, string> = {}, head = '') {
      const reader = await load(attributes, head);
      await reader.open();
      return reader;
    }
    /** Runs in the page, and reads the panel's background two frames later: less than 100 ms. */
    const after = (change: string) =>
      page.evaluate(async (code) => {
        // oxlint-disable-next-line typescript/no-implied-eval -- at once, and it is our own text
        new Function(code)();
        for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
        const panel = document.querySelector('docent-widget')?.shadowRoot?.querySelector('.panel');
        return panel ? getComputedStyle(panel).backgroundColor : 'gone';
      }, change);

    const html = 'document.documentElement';
    const signals: [name: string, on: string, off: string][] = [
      ['data-theme', `${html}.dataset.theme = 'dark'`, `${html}.dataset.theme = 'light'`],
      ['data-bs-theme', `${html}.dataset.bsTheme = 'dark'`, `${html}.dataset.bsTheme = 'light'`],
      [
        'data-md-color-scheme of the body',
        `document.body.dataset.mdColorScheme = 'slate'`,
        `document.body.dataset.mdColorScheme = 'default'`,
      ],
      ['body.dark-mode', `document.body.className = 'dark-mode'`, `document.body.className = ''`],
      [
        'color-scheme of the element',
        `${html}.style.colorScheme = 'dark'`,
        `${html}.style.colorScheme = ''`,
      ],
      [
        'color-scheme of a style sheet',
        `document.head.append(Object.assign(document.createElement('style'), { textContent: 'html{color-scheme:dark}' }))`,
        `document.querySelector('style').remove()`,
      ],
      [
        'meta color-scheme',
        `document.head.append(Object.assign(document.createElement('meta'), { name: 'color-scheme', content: 'dark' }))`,
        `document.querySelector('meta[name=color-scheme]').content = 'light'`,
      ],
      // Last: where a page has had this class, its absence means light.
      ['html.dark', `${html}.classList.add('dark')`, `${html}.classList.remove('dark')`],
    ];
    /** The page says nothing of its theme. */
    const asBefore = `
      for (const element of [document.documentElement, document.body])
        for (const { name } of [...element.attributes]) if (name !== 'lang') element.removeAttribute(name);
      document.querySelector('meta[name=color-scheme]')?.remove()`;
    test('each way in which pages say their theme is followed, both ways', async () => {
      await open();
      for (const [name, on, off] of signals) {
        expect([name, await after('')]).toEqual([name, background.light]);
        expect([name, await after(on)]).toEqual([name, background.dark]);
        expect([name, await after(off)]).toEqual([name, background.light]);
        await after(asBefore);
      }
    });

    test('the system is followed where the page says nothing or leaves it to the system', async () => {
      await open({}, '<meta name="color-scheme" content="light dark">');
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await after('')).toBe(background.dark);
      await page.emulateMedia({ colorScheme: 'light' });
      expect(await after('')).toBe(background.light);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await after(`${html}.dataset.theme = 'light'`)).toBe(background.light);
    });

    test('what the owner wrote wins, and can be changed', async () => {
      await open({ 'data-theme': 'light' });
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await after(`${html}.className = 'dark'`)).toBe(background.light);
      expect(await after(`Docent('update', { theme: 'dark' })`)).toBe(background.dark);
      expect(await after(`Docent('update', { theme: 'light' })`)).toBe(background.light);
      expect(await after(`Docent('update', { theme: 'auto' })`)).toBe(background.dark);
    });

    test.each(['light', 'dark'])(
      '%s: everything can be read with every accent, 4.5 to 1',
      async (theme) => {
        const reader = await open({ 'data-theme': theme });
        const accents = ['#3451d1', '#ffe600', '#111111', '#ffffff', '#12b886', '#e8590c'];
        const accentNow = () =>
          page
            .locator('docent-widget')
            .evaluate((element) =>
              getComputedStyle(element).getPropertyValue('--docent-accent').trim(),
            );
        /** With each of the accents. */
        const isReadable = async () => {
          for (const accent of accents) {
            await page.evaluate((colour) => window.Docent?.('update', { accent: colour }), accent);
            await expect.poll(accentNow).toBe(accent);
            await expect
              .poll(async () => [accent, await findUnreadable(page)])
              .toEqual([accent, []]);
          }
        };
        await isReadable();
        await reader.ask('How do I install Kestrel?');
        await reader.isDone();
        await reader.input().fill('And now?');
        await reader.get('menu').click();
        await isReadable();
        await page.keyboard.press('Escape');
        await reader.get('close').click();
        await isReadable();
      },
    );

    test('on a yellow accent the text is dark, also where CSS sets it', async () => {
      const reader = await load({ 'data-accent': 'yellow' });
      const colour = () => reader.launcher().evaluate((element) => getComputedStyle(element).color);
      await expect.poll(colour).toMatch(/^color\(srgb-linear 0 0 0\)$/);
      await load({}, '<style>docent-widget{--docent-accent:#ff0}</style>');
      await expect.poll(colour).toMatch(/^color\(srgb-linear 0 0 0\)$/);
    });

    test.each([
      ['Docusaurus', '--ifm-color-primary', '--ifm-font-family-base'],
      ['VitePress', '--vp-c-brand-1', '--vp-font-family-base'],
      ['Starlight', '--sl-color-accent', '--__sl-font'],
      ['Material for MkDocs', '--md-primary-fg-color', undefined],
    ])(
      '%s: the theme’s accent and font, unless the owner chose others',
      async (_name, accent, font) => {
        const theme = `:root > *{${accent}:#25c2a0;${font ?? '--none'}:Georgia}`;
        const expectLook = async (
          expected: string[],
          attributes: Record<string, string> = {},
          own = '',
        ) => {
          const reader = await load(attributes, `<style>${theme}${own}</style>`);
          const look = () =>
            reader.launcher().evaluate((element) => {
              const { backgroundColor, fontFamily } = getComputedStyle(element);
              return [backgroundColor, fontFamily];
            });
          await expect.poll(look).toEqual(expected);
        };
        const fontOfTheme = font ? 'Georgia' : 'system-ui';
        await expectLook(['rgb(37, 194, 160)', fontOfTheme]);
        await expectLook(['rgb(1, 2, 3)', fontOfTheme], { 'data-accent': 'rgb(1, 2, 3)' });
        const own = 'docent-widget{--docent-accent:rgb(1, 2, 3);--docent-font:Courier}';
        await expectLook(['rgb(1, 2, 3)', 'Courier'], {}, own);
      },
    );

    const variables: [
      name: string,
      value: string,
      where: string,
      property: string,
      layout?: string,
    ][] = [
      ['--docent-accent', 'rgb(1, 2, 3)', 'launcher', 'backgroundColor'],
      ['--docent-on-accent', 'rgb(1, 2, 3)', 'launcher', 'color'],
      ['--docent-link', 'rgb(1, 2, 3)', 'cite', 'color'],
      ['--docent-focus', 'rgb(1, 2, 3)', 'close', 'outlineColor'],
      ['--docent-text', 'rgb(1, 2, 3)', 'panel', 'color'],
      ['--docent-muted', 'rgb(1, 2, 3)', 'close', 'color'],
      ['--docent-background', 'rgb(1, 2, 3)', 'panel', 'backgroundColor'],
      ['--docent-surface', 'rgb(1, 2, 3)', 'question-text', 'backgroundColor'],
      ['--docent-hover', 'rgb(1, 2, 3)', 'send', 'backgroundColor'],
      ['--docent-border', 'rgb(1, 2, 3)', 'header', 'borderBlockEndColor'],
      ['--docent-font', 'Georgia', 'panel', 'fontFamily'],
      ['--docent-font-mono', 'Courier', 'code', 'fontFamily'],
      ['--docent-font-size', '19px', 'panel', 'fontSize'],
      ['--docent-radius', '3px', 'panel', 'borderTopLeftRadius'],
      ['--docent-radius-small', '3px', 'close', 'borderTopLeftRadius'],
      ['--docent-width', '333px', 'panel', 'width'],
      ['--docent-height', '444px', 'panel', 'height'],
      ['--docent-offset', '31px', 'launcher', 'right'],
      ['--docent-shadow', 'rgb(1, 2, 3) 1px 1px 1px 0px', 'panel', 'boxShadow'],
      ['--docent-shadow-small', 'rgb(1, 2, 3) 1px 1px 1px 0px', 'launcher', 'boxShadow'],
      ['--docent-z-index', '7', ':host', 'zIndex'],
      ['--docent-sidebar-width', '333px', 'panel', 'width', 'sidebar'],
      ['--docent-modal-width', '333px', 'panel', 'width', 'modal'],
      ['--docent-backdrop', 'rgb(1, 2, 3)', 'panel::backdrop', 'backgroundColor', 'modal'],
    ];
    test.each(['bubble', 'sidebar', 'modal'])(
      'each variable of the layout %s changes what it names',
      async (layout) => {
        const reader = await open({ 'data-layout': layout }, '<style></style>');
        await reader.ask('How do I install Kestrel?');
        await reader.isDone();
        // By keyboard, as a ring that a mouse would not bring.
        await page.keyboard.press('Shift+Tab');
        await reader.get('close').focus();
        const read = (where: string, property: string) =>
          page.evaluate(
            ([place = '', key = '']) => {
              const element = document.querySelector('docent-widget');
              const [name = '', pseudo] = place.split('::');
              const selectors =
                name === 'code' ? 'pre code' : `.${name},[data-testid=docent-${name}]`;
              const found =
                name === ':host' ? element : element?.shadowRoot?.querySelector(selectors);
              return found && getComputedStyle(found, pseudo && `::${pseudo}`)[key as 'color'];
            },
            [where, property],
          );
        const style = (css: string) =>
          page.evaluate((text) => {
            const element = document.querySelector('style');
            if (element) element.textContent = text;
          }, css);
        for (const [name, value, where, property, of = 'bubble'] of variables) {
          if (of !== layout) continue;
          await expect
            .poll(async () => [name, await read(where, property)])
            .not.toEqual([name, value]);
          await style(`docent-widget{${name}:${value}}`);
          await expect.poll(async () => [name, await read(where, property)]).toEqual([name, value]);
          await style('');
        }
      },
    );

    test('::part reaches the pieces, hover and the backdrop too', async () => {
      const parts = ['launcher', 'panel', 'header', 'title', 'conversation', 'message'];
      parts.push('question', 'answer', 'composer', 'input', 'send');
      const reader = await open(
        {},
        `<style>${parts.map((part, at) => `docent-widget::part(${part}){order:${at + 1}}`).join('')}</style>`,
      );
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      const orders = () =>
        page.evaluate(
          (names) =>
            names.map((name) => {
              const found = document
                .querySelector('docent-widget')
                ?.shadowRoot?.querySelector(`[part~=${name}]`);
              return found && getComputedStyle(found).order;
            }),
          parts,
        );
      // A message is a question or an answer, and the later rule counts.
      await expect
        .poll(orders)
        .toEqual(parts.map((part, at) => String(part === 'message' ? 7 : at + 1)));
    });
  });
