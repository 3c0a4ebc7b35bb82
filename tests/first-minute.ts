/**
 * A reader's first minute in Firefox and WebKitGTK: open, ask, select, follow a citation, reload.
 * `pnpm run test:browsers [firefox|webkit]`, after `pnpm build`. CI doesn't run it.
 */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDemo } from '@docent/demo-site/start';
import { browsers, type Driven } from './browser/webdriver.ts';
import { waitFor } from './support/wait-for.ts';

const element = (name: string) =>
  `document.querySelector('docent-widget')?.shadowRoot.querySelector('[data-testid=docent-${name}]')`;

function readerOf(browser: Driven) {
  /** Where it is, once it's in view and has not moved for some looks. */
  const boxOf = (expression: string) => {
    let last = '';
    let unmoved = 0;
    return waitFor(expression, async () => {
      const box = await browser.evaluate<[number, number, number, number] | false>(
        `(() => {
          const { left, top, width, height } = ${expression}?.getBoundingClientRect() ?? {};
          return width > 0 && top >= 0 && top + height <= innerHeight && [left, top, width, height];
        })()`,
      );
      unmoved = String(box) === last ? unmoved + 1 : 0;
      last = String(box);
      return box && unmoved >= 10 && box;
    });
  };
  const pointer = (actions: object[]) =>
    browser.act([{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }]);
  const [down, up] = ['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 })) as [
    object,
    object,
  ];
  const to = (x: number, y: number) => ({
    type: 'pointerMove',
    x: Math.round(x),
    y: Math.round(y),
    duration: 0,
  });
  return {
    has: (what: string, expression: string) =>
      waitFor(what, () => browser.evaluate<boolean>(`!!(${expression})`)),
    async click(name: string) {
      const [left, top, width, height] = await boxOf(element(name));
      await pointer([to(left + width / 2, top + height / 2), down, up]);
    },
    /** From the start of a paragraph to the end of its line. */
    async select(expression: string) {
      const [left, top, width] = await boxOf(expression);
      await pointer([
        to(left + 1, top + 8),
        down,
        to(left + width / 2, top + 10),
        to(left + width - 1, top + 10),
        up,
      ]);
    },
    async type(text: string) {
      const keys = Array.from(text).flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]);
      await browser.act([{ type: 'key', id: 'keys', actions: keys }]);
    },
  };
}

/** The key that sends. */
const enter = '\uE007';

async function firstMinute(browser: Driven, siteUrl: string, said: (step: string) => void) {
  const reader = readerOf(browser);
  const answers = `[...document.querySelector('docent-widget').shadowRoot.querySelectorAll('[data-testid=docent-answer][data-state=done]')]`;
  await browser.open(siteUrl);
  await reader.click('launcher');
  await reader.has(
    'the field with the focus',
    `document.querySelector('docent-widget').shadowRoot.activeElement === ${element('input')}`,
  );
  said('open');

  await reader.type(`How do I create and revoke a key?${enter}`);
  await reader.has('an answer with a citation', `${answers}.length === 1 && ${element('cite')}`);
  said('ask');

  await reader.click('cite');
  await reader.has('the cited page', `location.pathname !== '/' && location.hash !== ''`);
  await reader.has('the cited words, highlighted', `CSS.highlights.size > 0`);
  await reader.has('the conversation on the next page', `${answers}.length === 1`);
  said('cite');

  await browser.evaluate(`location.reload()`);
  await reader.has(
    'the conversation after the reload',
    `document.readyState === 'complete' && ${answers}.length === 1`,
  );
  said('reload');

  await reader.click('close');
  await browser.evaluate(`scrollTo(0, 0)`);
  await reader.select(`document.querySelectorAll('main p')[1]`);
  await reader.click('ask-selection');
  await reader.has('the selected text beside the field', `${element('chip')}?.textContent`);
  await reader.type(`What does this mean?${enter}`);
  await reader.has('a second answer', `${answers}.length === 2`);
  said('select');
}

const wanted = process.argv.slice(2);
const dataFolder = await mkdtemp(join(tmpdir(), 'docent-browsers-'));
const demo = await startDemo({ port: 0, sitePort: 0, dataFolder, log: () => {} });
for (const [name, { packages, files, start }] of Object.entries(browsers)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (!files.every((file) => existsSync(file))) {
    console.warn(`${name}: SKIPPED. To run it, install it: apt-get install ${packages}`);
    continue;
  }
  const browser = await start();
  try {
    await firstMinute(browser, demo.siteUrl, (step) => console.log(`${name}: ${step} ✓`));
  } catch (error) {
    console.error(`${name}: ${String(error)}`);
    process.exitCode = 1;
  } finally {
    await browser.close();
  }
}
await demo.close();
await rm(dataFolder, { recursive: true, force: true });
