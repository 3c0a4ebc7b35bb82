/**
 * Retakes the pictures of the documentation, from the demo as a newcomer sees it:
 * `pnpm run pictures [name …]`, after `pnpm build`. Look at them before you commit them.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startDemo } from '@docent/demo-site/start';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser } from './browser/browser.ts';
import { fillDashboard } from './support/picture-data.ts';

const folder = fileURLToPath(new URL('../demo-site/docs/images', import.meta.url));
const dataFolder = await mkdtemp(join(tmpdir(), 'docent-pictures-'));
const demo = await startDemo({ port: 0, sitePort: 0, dataFolder, log: () => {} });
const browser = await openBrowser();

const wide: BrowserContextOptions = { viewport: { width: 1200, height: 760 } };
const desk: BrowserContextOptions = { viewport: { width: 1200, height: 780 } };
const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 760 },
  hasTouch: true,
  isMobile: true,
};

interface Shot {
  options: BrowserContextOptions;
  /** Of the site; with `isOwner`, below `/dashboard`. */
  path: string;
  /** Signed in, after a month with readers. */
  isOwner?: true;
  work: (page: Page) => Promise<unknown>;
}

/** By file name. Several shots stand side by side. */
const pictures: Record<string, Shot | Shot[]> = {
  'answer.png': {
    options: wide,
    path: '/quick-start',
    work: (page) => ask(page, 'How do I create and revoke a key?'),
  },
  'pull-request.png': {
    options: { viewport: { width: 1080, height: 1090 } },
    path: '/projects/docent-docs',
    isOwner: true,
    async work(page) {
      await page.getByRole('radio', { name: 'Replace text' }).check();
      const form = page.locator('form');
      await form.getByLabel('Find').fill('a server you run yourself');
      await form.getByLabel('Replace with').fill('your own server');
      await form.getByLabel('Only in this page or folder').fill('index.md');
      await form.getByRole('button', { name: 'Start the job' }).click();
      await page.getByText('Open pull request').click();
      await page.getByText('No conflicts').waitFor();
    },
  },
  'layouts.webp': [
    {
      options: wide,
      path: '/widget-looks',
      async work(page) {
        await update(page, { layout: 'sidebar', push: true });
        await ask(page, 'How does the panel follow the theme?');
      },
    },
    {
      options: wide,
      path: '/widget-looks',
      async work(page) {
        await update(page, { layout: 'modal' });
        await ask(page, 'How does the panel follow the theme?');
      },
    },
  ],
  'dark-and-phone.webp': [
    {
      options: { ...wide, colorScheme: 'dark' },
      path: '/keys-and-limits',
      work: (page) => ask(page, 'What happens when a limit is reached?'),
    },
    {
      options: phone,
      path: '/keys-and-limits',
      work: (page) => ask(page, 'What happens when a limit is reached?'),
    },
  ],
  'selection.webp': [
    { options: wide, path: '/search-api', work: select },
    {
      options: wide,
      path: '/search-api',
      async work(page) {
        await select(page);
        await page.getByTestId('docent-ask-selection').click();
        await page.getByTestId('docent-starter').first().waitFor();
      },
    },
  ],
  'citation.webp': {
    options: wide,
    path: '/',
    async work(page) {
      await ask(page, 'How do I create and revoke a key?');
      await page.getByTestId('docent-cite').first().click();
      await page.waitForURL(/#/);
      await page.getByTestId('docent-answer').waitFor();
    },
  },
  'dashboard.png': {
    options: desk,
    path: '',
    isOwner: true,
    work: (page) => page.locator('main canvas').waitFor(),
  },
  'dashboard-conversations.png': {
    options: desk,
    path: '/conversations',
    isOwner: true,
    work: (page) => page.locator('tbody tr').first().waitFor(),
  },
  'dashboard-conversation.png': {
    options: desk,
    path: '/conversations?text=rotate%20a%20key%20without',
    isOwner: true,
    async work(page) {
      await page.locator('tbody a').first().click();
      await page.locator('article .markdown').waitFor();
    },
  },
  'dashboard-gaps.png': {
    options: desk,
    path: '/gaps',
    isOwner: true,
    work: (page) => page.locator('tbody tr').first().waitFor(),
  },
  'dashboard-keys.png': {
    options: desk,
    path: '/keys',
    isOwner: true,
    work: (page) => page.locator('tbody tr').first().waitFor(),
  },
  'dashboard-dark.webp': [
    {
      options: { ...wide, colorScheme: 'dark' },
      path: '',
      isOwner: true,
      work: (page) => page.locator('main canvas').waitFor(),
    },
    {
      options: { ...phone, colorScheme: 'dark' },
      path: '/gaps',
      isOwner: true,
      work: (page) => page.locator('tbody tr').first().waitFor(),
    },
  ],
};

/** The first account, made for the first picture that needs it. */
let owner: ReturnType<typeof fillDashboard> | undefined;

async function select(page: Page): Promise<void> {
  await page.getByTestId('docent-launcher').waitFor();
  await page.locator('main p').nth(1).click({ clickCount: 3 });
  await page.getByTestId('docent-ask-selection').waitFor();
}

const update = (page: Page, options: object) =>
  page.evaluate((given) => {
    (window as unknown as { Docent: (verb: string, given: object) => void }).Docent(
      'update',
      given,
    );
  }, options);

async function ask(page: Page, question: string): Promise<void> {
  await page.getByTestId('docent-launcher').click();
  const field = page.getByTestId('docent-input');
  await field.fill(question);
  await field.press('Enter');
  await page.locator('[data-testid=docent-answer][data-state=done]').waitFor();
  await page.mouse.move(0, 0);
}

async function take({ options, path, isOwner, work }: Shot): Promise<Buffer> {
  owner ??= isOwner && fillDashboard(demo, dataFolder, browser);
  const context = await browser.newContext({
    reducedMotion: 'reduce',
    ...options,
    ...(isOwner && owner && { storageState: await owner }),
  });
  const page = await context.newPage();
  await page.goto(
    isOwner ? `${demo.docentUrl}/dashboard${path}` : new URL(path, demo.siteUrl).href,
  );
  await work(page);
  // What comes after the last word: sources, pictures, colours of code.
  await page.waitForLoadState('networkidle');
  const picture = await page.screenshot();
  await context.close();
  return picture;
}

/** Pictures side by side, as light as WebP makes them. */
async function compose(pictures: readonly Buffer[]): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: 3000, height: 760 } });
  const images = pictures.map(
    (each) => `<img src="data:image/png;base64,${each.toString('base64')}">`,
  );
  await page.setContent(
    `<style>body{margin:0;background:#0000}div{display:inline-flex;gap:24px}img{border-radius:12px}</style><div>${images.join('')}</div>`,
  );
  await page
    .locator('img')
    .last()
    .evaluate((image: HTMLImageElement) => image.decode());
  const box = await page.locator('div').boundingBox();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setDefaultBackgroundColorOverride', {
    color: { r: 0, g: 0, b: 0, a: 0 },
  });
  const { data } = await devtools.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 82,
    clip: { x: 0, y: 0, width: box?.width ?? 0, height: box?.height ?? 0, scale: 0.75 },
  });
  await page.close();
  return Buffer.from(data, 'base64');
}

const wanted = process.argv.slice(2);
for (const [name, shots] of Object.entries(pictures)) {
  if (wanted.length && !wanted.includes(name)) continue;
  const taken: Buffer[] = [];
  for (const shot of [shots].flat()) taken.push(await take(shot));
  const bytes = name.endsWith('.png') ? taken[0] : await compose(taken);
  if (!bytes) continue;
  await writeFile(join(folder, name), bytes);
  console.log(`${name}  ${Math.round(bytes.length / 1000)} kB`);
}
await browser.close();
await demo.close();
await rm(dataFolder, { recursive: true, force: true });
