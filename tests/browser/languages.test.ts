/** The widget in the language of its page: nothing of its own stays English, and Arabic runs from the right. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { english, launcherStrings, offerStrings } from '../../widget/src/text/english.ts';
import { languages } from '../../widget/src/text/load-language.ts';
import { gate } from '../support/scripted-model.ts';
import { chromiumPath, whySkipped } from './browser.ts';
import { type FaultServer, refusal, startFaultServer } from './fault-server.ts';
import { type ReportingHost, startReportingHost } from './reporting-host.ts';
import { collectFaults, readerOf } from './widget-host.ts';

type Texts = Record<string, string>;

const inEnglish: Texts = { ...english, ...offerStrings };

/** What would be said in English, as patterns, but for what is the same in `translation`. */
function englishWords(translation: Texts): RegExp[] {
  const said = Object.entries(inEnglish).flatMap(([key, text]) =>
    translation[key] === text ? [] : [text],
  );
  return (
    [...said, ...Object.values(launcherStrings).slice(0, 2)]
      // "{count} s" is in many words.
      .filter((text) => text.replace(/\{\w+\}/g, '').trim().length > 2)
      .map((text) => {
        const pattern = text
          .split(/\{\w+\}/)
          .map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
          .join('[^]+');
        // A sentence may stand beside another one; a single word may be part of any.
        return new RegExp(text.includes(' ') ? pattern : `^${pattern}$`);
      })
  );
}

/** All that the widget says by itself, by text, by attributes and to screen readers. */
const ownWords = (page: Page) =>
  page.evaluate(() => {
    const root = document.querySelector('docent-widget')?.shadowRoot;
    if (!root) throw new Error('There is no widget');
    const ofOthers =
      '.markdown > :not(.code, .table), .question-text, .editor textarea, .chip-text, .source, .hit, .cite-card, .suggestion, .starter span, .thread-title, .report-page, style';
    const words: string[] = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        if (node.closest(ofOthers)) continue;
        for (const name of ['placeholder', 'title', 'aria-label', 'aria-description', 'alt'])
          words.push(node.getAttribute(name) ?? '');
      } else if (!node.parentElement?.closest(`${ofOthers}, pre, td, th, .code-language`)) {
        words.push(node.textContent ?? '');
      }
    }
    return [...new Set(words.map((each) => each.trim()).filter(Boolean))];
  });

const arabic = [
  '## تثبيت Kestrel\n\nشغِّل `kestrel-setup install` ثم عايِر الدوّارة. [1]\n\n',
  '- الخطوة الأولى: نزِّل الملف.\n- Kestrel يقيس الرياح كل 3 ثوانٍ.\n\n',
  '```sh\n# set up\nkestrel-setup install --vane 3\n```\n\n',
  '| الخيار | القيمة |\n| --- | --- |\n| `vane` | 3 |\n\n> انتبه للدوّارة.\n',
];
const german = [
  '### Installation\n\nStarten Sie das **Installationsprogramm** `kestrel-setup`. [1]\n\n',
  '```sh\nkestrel-setup install\n```\n\n| Option | Wert |\n| --- | --- |\n| `vane` | 3 |\n',
];

if (chromiumPath === undefined) test('languages', (context) => context.skip(whySkipped));
else
  describe('languages', () => {
    let host: ReportingHost;
    let faultServer: FaultServer;
    let browser: Browser;
    let context: BrowserContext;
    let page: Page;
    let reader: ReturnType<typeof readerOf>;
    let faults: string[];

    beforeAll(async () => {
      host = await startReportingHost(german, { isDocs: true });
      faultServer = await startFaultServer(host.docent.url);
      browser = await host.browser();
    });
    afterAll(async () => {
      await faultServer?.[Symbol.asyncDispose]();
      await host?.[Symbol.asyncDispose]();
    });
    beforeEach(() => newContext());
    afterEach(async () => {
      await context.close();
      expect(faults).toEqual([]);
    });

    async function newContext(options: object = {}) {
      await context?.close();
      context = await browser.newContext({
        viewport: { width: 1280, height: 860 },
        ...options,
      });
      page = await context.newPage();
      faults = collectFaults(page);
      reader = readerOf(page);
    }

    /** A page in a language, with a block of code, as far as its widget is open. */
    async function open(language: string, attributes: Record<string, string> = {}) {
      const direction = language === 'ar' ? 'dir="rtl"' : '';
      const code =
        '<pre id="code"><code>kestrel-setup install\nkestrel-setup calibrate\nkestrel-setup run</code></pre>';
      const tag = host.tag({ src: `${faultServer.url}/docent.js`, ...attributes });
      await page.goto(
        host.put('/install', host.document(code + tag, { language, attributes: direction })),
      );
      await reader.open();
    }
    const box = async (name: string) => {
      const one = reader.get(name).first();
      await one.waitFor();
      const found = await one.boundingBox();
      if (!found) throw new Error(`${name} is not shown`);
      return found;
    };
    const update = (options: object) =>
      page.evaluate(`Docent('update', ${JSON.stringify(options)})`);
    const nameOf = (name: string) => reader.get(name).first().getAttribute('aria-label');

    test.each([
      ['de', german],
      ['ar', arabic],
    ])('%s: no word of ours is English in any state', async (tag, answer) => {
      const translation = (await languages[tag]?.())?.default as Texts;
      const patterns = englishWords(translation);
      const said = new Set<string>();
      const look = async (state: string) => {
        const words = await ownWords(page);
        for (const each of words) said.add(each);
        const found = words.filter((each) => patterns.some((pattern) => pattern.test(each)));
        expect([state, found]).toEqual([state, []]);
      };
      host.model.reply(answer);
      await open(tag);
      expect(await page.locator('docent-widget').getAttribute('lang')).toBe(tag);
      await reader.get('empty').waitFor();
      await look('open');

      const held = gate();
      host.model.once([held, ...answer]);
      await reader.ask('How do I install Kestrel?');
      await reader.get('thinking').waitFor();
      await look('waiting');
      held.open();
      await reader.isDone();
      await reader.get('sources').waitFor();
      await look('answered');

      await reader.get('thumb-down').click();
      await reader.get('reason-incorrect').check({ force: true });
      await reader.get('feedback-fix').check();
      await reader.get('feedback-note').fill('x');
      await reader.get('feedback-send').click();
      await look('feedback that is too short');
      await reader.get('feedback-note').fill('The second step names a command that is gone.');
      await reader.get('feedback-send').click();
      await reader.get('feedback-thanks').waitFor();
      await look('thanks');

      await reader.get('question').hover();
      await reader.get('edit').click();
      await reader.get('editor').waitFor();
      await look('editing');
      await page.keyboard.press('Escape');

      await reader.get('menu').click();
      await reader.get('menu-report').waitFor();
      await look('menu');
      await reader.get('menu-widen').click();
      await reader.get('menu').click();
      await reader.get('menu-shrink').click();
      await reader.get('menu').click();
      await reader.get('menu-hide').click();
      await reader.get('hide').waitFor();
      await look('hide');
      await reader.get('hide-cancel').click();
      await reader.get('menu').click();
      await reader.get('menu-report').click();
      await reader.get('report').waitFor();
      await look('report of a page');
      await reader.get('report-back').click();

      await reader.get('new').click();
      await reader.ask('And on Windows?');
      await reader.isDone();
      await reader.get('history').click();
      await reader.get('thread').first().waitFor();
      const when = await reader.get('thread').locator('time').first().textContent();
      const now = new Intl.RelativeTimeFormat(`${tag}-u-nu-latn`, { numeric: 'auto' });
      expect([now.format(0, 'second'), now.format(-1, 'minute')]).toContain(when);
      await look('conversations');
      await reader.get('threads-delete-all').click();
      await look('really all of them?');
      await reader.get('threads-cancel').click();
      await reader.get('thread').first().hover();
      await reader.get('thread-delete').first().click();
      await reader.get('threads-undo').waitFor();
      await look('deleted');
      await reader.get('threads-undo').click();
      await reader.get('threads-back').click();

      for (const [kind, fault] of [
        ['setup', refusal(401, 'unauthorized')],
        ['tooLarge', refusal(413, 'too_large')],
        ['server', refusal(500, 'internal')],
        ['limit', { status: 429, body: '', headers: { 'retry-after': '90' } }],
      ] as const) {
        await reader.get('new').click();
        faultServer.failNext(fault);
        await reader.ask('How do I install Kestrel?');
        await expect
          .poll(
            async () =>
              (await reader.get('notice').count()) &&
              reader.get('notice').getAttribute('data-kind'),
          )
          .toBe(kind);
        if (kind === 'server' || kind === 'limit') await reader.get('hit').first().waitFor();
        await look(kind);
      }

      // As wanted, and said to whoever owns the page.
      expect(faults.splice(0).join()).not.toMatch(/TypeError|undefined/);

      await page.locator('#intro').click({ clickCount: 3 });
      await reader.get('ask-selection').click();
      await reader.get('chip').waitFor();
      await page.locator('#code').hover();
      await reader.get('ask-code').waitFor();
      await look('asking about the page');

      // And what was seen is what the translation says.
      for (const text of [
        translation['title'],
        translation['thinking'],
        translation['threadsTitle'],
        translation['setupTitle'],
        translation['askCodeName'],
        translation['explainText'],
      ])
        expect(said).toContain(text);
      expect(said.size).toBeGreaterThan(90);
    });

    test('an unknown language: English, from left to right', async () => {
      await open('sw');
      expect(await reader.get('panel').locator('h2').textContent()).toBe('Ask the docs');
      expect(await page.locator('docent-widget').getAttribute('lang')).toBe('en');
      expect(await page.locator('docent-widget').getAttribute('dir')).toBe('ltr');
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      await reader.get('history').click();
      // Its dates as well; in Swahili they would be "sasa hivi".
      expect(await reader.get('thread').locator('time').textContent()).toMatch(/now|ago/);
    });

    test('Arabic is mirrored, and code, numbers and foreign words stay as they are', async () => {
      host.model.reply(arabic);
      await open('ar');
      const panel = await box('panel');
      // At the end of the line, with the same distance as elsewhere.
      expect(panel.x).toBe(20);
      const close = await box('close');
      const title = await reader.panel().locator('h2').boundingBox();
      expect(close.x + close.width).toBeLessThan(title?.x ?? 0);
      const send = await box('send');
      expect(send.x).toBeLessThan((await box('input')).x);

      await reader.ask('كيف أثبّت Kestrel؟');
      await reader.isDone();
      const style = (selector: string) =>
        reader
          .panel()
          .locator(selector)
          .first()
          .evaluate((element) => {
            const { direction, unicodeBidi, scale } = getComputedStyle(element);
            const range = document.createRange();
            range.selectNodeContents(element);
            const around = element.parentElement?.getBoundingClientRect();
            const words = range.getBoundingClientRect();
            const side =
              around && words.left - around.left > around.right - words.right ? 'right' : 'left';
            return { direction, unicodeBidi, scale, side };
          });
      expect(await style('.markdown')).toMatchObject({ direction: 'rtl' });
      expect(await style('.markdown li')).toMatchObject({ direction: 'rtl' });
      expect(await style('.markdown table')).toMatchObject({ direction: 'rtl' });
      expect(await style('pre')).toMatchObject({ direction: 'ltr' });
      expect(await style('pre code')).toMatchObject({ direction: 'ltr', side: 'left' });
      expect(await style('p code')).toMatchObject({ direction: 'ltr', unicodeBidi: 'isolate' });
      // English titles of the documentation: from the left, at the side of the panel.
      expect(await style('.source-title')).toMatchObject({
        unicodeBidi: 'plaintext',
        side: 'right',
      });
      // The bubble of the question is at the end of the line.
      const question = await reader.panel().locator('.question-text').boundingBox();
      expect((question?.x ?? 0) - panel.x).toBe(20);
      // What points along the line points the other way, what does not stays.
      await reader.get('history').click();
      await reader.get('threads-back').waitFor();
      expect(await style('[data-testid=docent-threads-back] svg')).toMatchObject({ scale: '-1 1' });
      expect(await style('[data-testid=docent-new] svg')).toMatchObject({ scale: 'none' });
      await reader.get('threads-back').click();

      // A question and an answer in English, in the same panel.
      host.model.once(['- Run `kestrel-setup`.\n- Calibrate the vane. [1]\n']);
      await reader.ask('How do I install it?');
      await reader.isDone(2);
      const last = reader.answer().locator('.markdown');
      await expect
        .poll(() => last.evaluate((element) => getComputedStyle(element).direction))
        .toBe('ltr');
      await reader.get('close').click();
      await expect.poll(async () => (await box('launcher')).x).toBe(20);
    });

    test('the code of a page, and a sidebar, stand where Arabic has them', async () => {
      await open('ar', { 'data-layout': 'sidebar', 'data-push': 'true' });
      await expect.poll(async () => (await box('panel')).x).toBe(0);
      const room = () => page.evaluate(() => document.body.getBoundingClientRect().left);
      await expect.poll(room).toBeGreaterThan(380);
      await reader.get('close').click();
      await page.locator('#intro').click({ clickCount: 3, position: { x: 2, y: 5 } });
      await reader.get('ask-selection').waitFor();
      const distance = async () => {
        const offer = await box('ask-selection');
        const words = await page.locator('#intro').evaluate((element) => {
          const range = document.createRange();
          range.selectNodeContents(element);
          return range.getBoundingClientRect().left;
        });
        return Math.abs(offer.x + offer.width / 2 - words);
      };
      // Where the selection ends.
      await expect.poll(distance).toBeLessThan(8);
    });

    test('the language changes while it is in use: by the page, and by its owner', async () => {
      await open('de');
      await reader.ask('How do I install Kestrel?');
      await reader.isDone();
      await page.locator('#code').hover();
      await reader.get('ask-code').waitFor();
      const titles = async () => [
        await reader.panel().locator('h2').textContent(),
        await nameOf('copy'),
        await nameOf('ask-code'),
        await reader.launcher().textContent(),
      ];
      const of = async (tag: string, launcher: string) => {
        const translation = (await languages[tag]?.())?.default;
        const { title, copyCode, askCodeName } = { ...english, ...offerStrings, ...translation };
        return [title, copyCode, askCodeName, launcher];
      };
      await expect.poll(titles).toEqual(await of('de', 'Fragen'));
      await page.evaluate(() => (document.documentElement.lang = 'ja'));
      await expect.poll(titles).toEqual(await of('ja', '質問'));
      await update({ language: 'ar' });
      await expect.poll(titles).toEqual(await of('ar', 'اسأل'));
      await expect.poll(async () => (await box('panel')).x).toBe(20);
      // Its owner's word counts more than the page's.
      await page.evaluate(() => (document.documentElement.lang = 'fr'));
      await update({ strings: { askCodeName: 'اسأل عن المثال', button: 'مساعدة' } });
      await expect
        .poll(async () => (await titles()).slice(2))
        .toEqual(['اسأل عن المثال', 'مساعدة']);
      await update({ language: 'sw', strings: null });
      await expect.poll(titles).toEqual(await of('en', 'Ask'));
      await expect.poll(async () => (await box('panel')).x).toBeGreaterThan(800);
      // The conversation and its answer went through all of it.
      expect(await reader.get('answer').count()).toBe(1);
    });
  });
