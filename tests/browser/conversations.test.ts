/** Several conversations: the list, two tabs, other words for a question, and what leaves the browser. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { gate } from '../support/scripted-model.ts';
import { findAxeViolations } from './axe.ts';
import { collectFaults, readerOf, startWidgetHost, type WidgetHost } from './widget-host.ts';

let host: WidgetHost;
beforeAll(async () => {
  host = await startWidgetHost({ streamTimeouts: { graceMs: 10_000 } });
  host.put('/start');
});
afterAll(() => host[Symbol.asyncDispose]());

const eventually = (read: () => unknown) => expect.poll(read);

type Reader = ReturnType<typeof readerOf> & { page: Page };

/** A reader with a browser of their own; pages of the same reader share what is stored. */
async function newReader() {
  const browser = await host.browser();
  const context = await browser.newContext({
    viewport: { width: 1200, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  return {
    context,
    async openPage(path = '/start'): Promise<Reader> {
      const page = await context.newPage();
      await page.goto(host.origin + path);
      return { ...readerOf(page), page };
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

async function converse(reader: Reader, ...questions: string[]): Promise<void> {
  for (const [at, question] of questions.entries()) {
    await reader.ask(question);
    await reader.isDone(at + 1);
  }
}
const titles = async (reader: Reader) =>
  (await reader.get('thread-open').locator('.thread-title').allTextContents()).map((each) =>
    each.trim(),
  );
async function openList(reader: Reader): Promise<void> {
  await reader.get('history').click();
  await eventually(() => reader.focused()).toBe('docent-thread-open');
}
const questions = (reader: Reader) =>
  reader.get('question').locator('.question-text').allTextContents();
/** The list's row that has the focus gets another name, by the keyboard alone. */
async function rename(reader: Reader, name: string, key: 'Enter' | 'Escape'): Promise<void> {
  await reader.page.keyboard.press('F2');
  await eventually(() => reader.focused()).toBe('docent-thread-name');
  await reader.page.keyboard.type(name);
  await reader.page.keyboard.press(key);
  await eventually(() => reader.focused()).toBe('docent-thread-open');
}
/** The menu's copy of the whole conversation. It says so for a moment only. */
async function copyAll(reader: Reader): Promise<string> {
  await reader.get('menu').click();
  await Promise.all([reader.get('toast').waitFor(), reader.get('menu-copy').click()]);
  return reader.page.evaluate(() => navigator.clipboard.readText());
}
/** The threads that the service has, with their questions that stand. */
async function stored(): Promise<string[][]> {
  const { database } = host.docent.docent.services;
  const threads = await database.selectFrom('threads').select('id').orderBy('id').execute();
  const turns = await Promise.all(threads.map(({ id }) => host.docent.turns(id)));
  return turns.map((each) => each.map(({ question }) => question));
}
async function forgetAll(): Promise<void> {
  await host.docent.docent.services.database.deleteFrom('threads').execute();
}

test('a reader has several conversations: opens, renames, deletes and clears them', async () => {
  await using someone = await newReader();
  const reader = await someone.openPage();
  const faults = collectFaults(reader.page);
  await reader.open();
  expect(await reader.get('history').count()).toBe(0);
  await converse(reader, 'How do I install it?', 'And on a roof?');
  await reader.get('new').click();
  await converse(reader, 'What is the gust limit?');
  await openList(reader);
  await eventually(() => titles(reader)).toEqual([
    'What is the gust limit?',
    'How do I install it?',
  ]);
  expect(await reader.get('thread-open').first().getAttribute('aria-current')).toBe('true');
  expect(await reader.get('thread').first().locator('time').textContent()).toBe('now');

  expect(await findAxeViolations(reader.page)).toEqual([]);

  // With the keyboard alone: down, F2, a name, Enter; Escape leaves a name as it was.
  await reader.page.keyboard.press('ArrowDown');
  await rename(reader, 'Set-up', 'Enter');
  await eventually(() => titles(reader)).toEqual(['What is the gust limit?', 'Set-up']);
  await rename(reader, 'No', 'Escape');
  await eventually(() => titles(reader)).toEqual(['What is the gust limit?', 'Set-up']);
  expect(await reader.panel().isVisible()).toBe(true);
  await reader.page.keyboard.press('Enter');
  await eventually(() => questions(reader)).toEqual(['How do I install it?', 'And on a roof?']);
  await eventually(() => reader.focused()).toBe('docent-input');

  // Goes on in its own thread, after a reload too.
  await reader.page.reload();
  await reader.input().waitFor();
  await reader.ask('On a boat?');
  await reader.isDone(3);
  await eventually(async () => (await stored()).map((each) => each.length)).toEqual([3, 1]);

  await openList(reader);
  await eventually(() => titles(reader)).toEqual(['Set-up', 'What is the gust limit?']);
  await reader.page.keyboard.press('Delete');
  await eventually(() => titles(reader)).toEqual(['What is the gust limit?']);
  await eventually(() => reader.focused()).toBe('docent-threads-undo');
  await reader.page.keyboard.press('Enter');
  await eventually(() => titles(reader)).toEqual(['Set-up', 'What is the gust limit?']);
  expect(await stored()).toHaveLength(2);

  // Deleted for good once the list is left: here, and at the service.
  await reader.get('thread-open').nth(1).focus();
  await reader.get('thread-delete').nth(1).click();
  await reader.get('threads-back').click();
  await eventually(async () => (await stored()).map((each) => each.length)).toEqual([3]);
  await eventually(() => questions(reader)).toHaveLength(3);

  await reader.get('new').click();
  await converse(reader, 'Another?');
  await openList(reader);
  await reader.get('threads-delete-all').click();
  await eventually(() => reader.focused()).toBe('docent-threads-cancel');
  await reader.page.keyboard.press('Escape');
  await eventually(() => titles(reader)).toHaveLength(2);
  await reader.get('threads-delete-all').click();
  await reader.get('threads-delete-all-yes').click();
  await reader.get('threads-empty').waitFor();
  await reader.get('threads-new').click();
  await reader.get('empty').waitFor();
  await eventually(stored).toEqual([]);
  const left = () =>
    reader.page.evaluate(() => Object.keys(localStorage).filter((key) => key.includes(':c:')));
  await eventually(left).toEqual([]);
  expect(faults).toEqual([]);
});

test('the list shows that the service could not be told of a deletion, and tells it later', async () => {
  await forgetAll();
  await using someone = await newReader();
  const reader = await someone.openPage();
  await reader.open();
  await converse(reader, 'How do I install it?');
  await someone.context.route('**/discovery/v1/thread/**', (route) => route.abort());
  await openList(reader);
  await reader.page.keyboard.press('Delete');
  await reader.get('threads-back').click();
  await reader.get('empty').waitFor();
  expect(await stored()).toHaveLength(1);
  await reader.get('history').click();
  await reader.get('threads-not-sent').waitFor();
  await someone.context.unroute('**/discovery/v1/thread/**');
  await reader.page.reload();
  // It was open, so it is open again.
  await reader.get('empty').waitFor();
  await eventually(stored).toEqual([]);
});

test('an answer goes on while the reader is in another conversation', async () => {
  await forgetAll();
  await using someone = await newReader();
  const reader = await someone.openPage();
  await reader.open();
  host.model?.once(['Short. [1]']);
  await converse(reader, 'A short one?');
  await reader.get('new').click();
  const held = gate();
  host.model?.once(['The first half', held, ' and the second. [1]']);
  await reader.ask('A long one?');
  await reader.answer().getByText('The first half').waitFor();
  await openList(reader);
  await reader.get('thread-open').nth(1).click();
  await reader.answer().getByText('Short.').waitFor();
  await openList(reader);
  const row = reader.get('thread').filter({ hasText: 'A long one?' });
  await row.getByText('Answering…').waitFor();
  held.open();
  await row.locator('time').waitFor();
  await row.getByTestId('docent-thread-open').click();
  await reader.isDone(1);
  await reader.answer().getByText('The first half and the second.').waitFor();
  await eventually(stored).toEqual([['A short one?'], ['A long one?']]);
});

test('a new conversation, a deletion and an edited question stop the answer at once, closing does not', async () => {
  await forgetAll();
  await using someone = await newReader();
  const reader = await someone.openPage();
  const faults = collectFaults(reader.page);
  await reader.open();
  /** The model's side of an answer that never ends by itself. */
  const begin = async (question: string) => {
    const count = host.model?.requests.length ?? 0;
    host.model?.once(['The first half', gate()]);
    await reader.ask(question);
    await reader.answer().getByText('The first half').waitFor();
    return host.model?.request(count + 1);
  };
  const statuses = async () => {
    const { database } = host.docent.docent.services;
    const turns = await database.selectFrom('turns').select(['question', 'status']).execute();
    return turns.map(({ question, status }) => `${question} ${status}`).toSorted();
  };

  const first = await begin('First?');
  await reader.get('new').click();
  await first?.gone;
  await reader.get('empty').waitFor();

  const second = await begin('Second?');
  await openList(reader);
  await reader.page.keyboard.press('Delete');
  await second?.gone;
  await reader.get('threads-back').click();
  await eventually(statuses).toEqual(['First? stopped']);

  const third = await begin('Third?');
  await reader.page.keyboard.press('Escape');
  await reader.launcher().click();
  await reader.get('question').hover();
  await reader.get('edit').click();
  await reader.get('editor-field').fill('Third, in other words?');
  expect(await reader.answer().getAttribute('data-state')).toBe('streaming');
  host.model?.once(['Better. [1]']);
  await reader.page.keyboard.press('Enter');
  await third?.gone;
  await reader.answer().getByText('Better.').waitFor();
  await reader.isDone(1);
  await eventually(stored).toEqual([['First?'], ['Third, in other words?']]);
  expect(faults).toEqual([]);
});

test('an answer that was cut off at its maximum length says so and goes on with a click', async () => {
  await forgetAll();
  await using someone = await newReader();
  const reader = await someone.openPage();
  const faults = collectFaults(reader.page);
  await reader.open();
  host.model?.once(['Run the **installer** [1]. Then you', { end: 'length' }]);
  await reader.ask('How do I install it?');
  const note = 'This answer was cut off because it reached its maximum length.';
  await reader.answer().getByText(note).waitFor();
  expect(await findAxeViolations(reader.page)).toEqual([]);
  await eventually(() => reader.get('announcer').textContent()).toMatch(
    /Then you .*maximum length/,
  );
  await reader.page.reload();
  await reader.answer().getByText(note).waitFor();
  expect(await copyAll(reader)).toContain(`*${note}*`);

  host.model?.once([' mount it on the roof [1].']);
  await reader.get('continue').click();
  await reader.isDone(2);
  await eventually(() => questions(reader)).toEqual([
    'How do I install it?',
    'Please continue where you stopped.',
  ]);
  await reader.answer().getByText('mount it on the roof').waitFor();
  await eventually(() => reader.get('continue').count()).toBe(0);
  expect(host.model?.requests.at(-1)?.text).toContain('Then you');
  expect(await stored()).toHaveLength(1);
  expect(faults).toEqual([]);
});

test('two tabs: names, deletions and answers of one show in the other, no turn is lost', async () => {
  await forgetAll();
  await using someone = await newReader();
  const [one, two] = [await someone.openPage(), await someone.openPage()];
  await one.open();
  await converse(one, 'How do I install it?');
  await two.open();
  await two.get('history').waitFor();
  await openList(two);
  await two.get('thread-open').click();
  await two.isDone(1);

  // Both ask in the same conversation at the same time: a tab that is not looked at reads along later.
  const look = (isHidden: boolean) =>
    two.page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { value, configurable: true });
    }, isHidden);
  await look(true);
  const held = gate();
  host.model?.once(['From tab one', held, ', whole. [1]']);
  await one.ask('Tab one?');
  await one.answer().getByText('From tab one').waitFor();
  host.model?.once(['From tab two. [1]']);
  await two.ask('Tab two?');
  await two.answer().getByText('From tab two').waitFor();
  await look(false);
  held.open();
  const both = ['How do I install it?', 'Tab one?', 'Tab two?'];
  for (const tab of [one, two]) {
    await eventually(async () => (await questions(tab)).sort()).toEqual(both);
    await eventually(() => tab.get('answer').count()).toBe(3);
  }
  await one.page.reload();
  await one.isDone(3);
  await eventually(async () => (await questions(one)).sort()).toEqual(both);
  await eventually(async () => (await stored()).map((each) => each.sort())).toEqual([both]);

  await openList(one);
  await openList(two);
  await rename(one, 'Set-up', 'Enter');
  await eventually(() => titles(two)).toEqual(['Set-up']);
  await two.get('threads-back').click();
  await one.page.keyboard.press('Delete');
  await two.get('empty').waitFor();
  await eventually(() => two.get('history').count()).toBe(0);
});

test('a question in other words replaces what followed; stop, retry and answering again never double a turn', async () => {
  await forgetAll();
  await using someone = await newReader();
  const reader = await someone.openPage();
  const faults = collectFaults(reader.page);
  await reader.open();
  await converse(reader, 'First?', 'Second?', 'Third?');

  // The pencil of an earlier question; Escape leaves everything as it was.
  await reader.get('question').nth(1).hover();
  await reader.get('edit').nth(1).click();
  await eventually(() => reader.focused()).toBe('docent-editor-field');
  const faultsOfEditor = await findAxeViolations(reader.page);
  expect(faultsOfEditor.filter((each) => each.includes('editor'))).toEqual([]);
  await reader.page.keyboard.type(' No.');
  await reader.page.keyboard.press('Escape');
  await eventually(() => reader.focused()).toBe('docent-input');
  await eventually(() => questions(reader)).toEqual(['First?', 'Second?', 'Third?']);
  await reader.get('question').nth(1).hover();
  await reader.get('edit').nth(1).click();
  await reader.get('editor-field').fill('Second, in other words?');
  host.model?.once(['Better. [1]']);
  await reader.page.keyboard.press('Enter');
  await reader.answer().getByText('Better.').waitFor();
  await reader.isDone(2);
  const shown = ['First?', 'Second, in other words?'];
  await eventually(() => questions(reader)).toEqual(shown);
  await eventually(stored).toEqual([shown]);

  // Arrow up in the empty field: the last question.
  await reader.input().focus();
  await reader.page.keyboard.press('ArrowUp');
  await eventually(() => reader.focused()).toBe('docent-editor-field');
  await reader.get('editor-field').fill('Second, once more?');
  await reader.get('editor-send').click();
  await eventually(stored).toEqual([['First?', 'Second, once more?']]);
  await reader.isDone(2);

  // Stopped: the part stays and says so; asked again, it is one turn.
  const held = gate();
  host.model?.once(['Only the first half', held, ' of it']);
  await reader.ask('Fourth?');
  await reader.answer().getByText('Only the first half').waitFor();
  await reader.get('stop').click();
  await reader.answer().getByText('You stopped this answer.').waitFor();
  held.open();
  host.model?.once(['All of it. [1]']);
  await reader.answer().getByTestId('docent-retry').click();
  await reader.answer().getByText('All of it.').waitFor();
  await reader.isDone(3);

  // Broken off, then tried again; then answered once more.
  host.model?.once([{ raw: 'data: {"error":{"message":"secret","code":"x"}}\n\n' }]);
  await reader.ask('Fifth?');
  await reader.get('notice').getByTestId('docent-retry').click();
  await reader.isDone(4);
  host.model?.once(['Another one. [1]']);
  await reader.answer().getByTestId('docent-retry').click();
  await reader.answer().getByText('Another one.').waitFor();
  await reader.isDone(4);
  const all = ['First?', 'Second, once more?', 'Fourth?', 'Fifth?'];
  await eventually(() => questions(reader)).toEqual(all);
  await eventually(stored).toEqual([all]);

  await reader.page.reload();
  await reader.isDone(4);
  await eventually(() => questions(reader)).toEqual(all);
  expect(faults).toEqual([]);
});

test('a conversation and an answer leave as Markdown, with their sources', async () => {
  await forgetAll();
  await using someone = await newReader();
  const reader = await someone.openPage();
  await reader.open();
  host.model?.once(['Run the **installer** [1].']);
  await converse(reader, 'How do I install it?');
  const clipboard = () => reader.page.evaluate(() => navigator.clipboard.readText());
  await reader.answer().getByTestId('docent-copy').first().click();
  const link = /^Run the \*\*installer\*\* \[1\]\(https:[^)]+\)\.\n\n---\n\n1\. \[.+\]\(https:/;
  await eventually(clipboard).toMatch(link);

  const copied = await copyAll(reader);
  expect(copied).toMatch(/^# How do I install it\?\n\n## How do I install it\?\n\nRun the/);
  expect(copied).toMatch(/\n\n\*\*Sources\*\*\n\n1\. \[/);

  await reader.get('menu').click();
  const [download] = await Promise.all([
    reader.page.waitForEvent('download'),
    reader.get('menu-download').click(),
  ]);
  expect(download.suggestedFilename()).toBe('how-do-i-install-it.md');
  const file = await readFile(await download.path(), 'utf8');
  expect(file).toBe(copied);
});

test('?ask= waits in the field, is sent where the owner wants it, and leaves the address', async () => {
  await forgetAll();
  const sends = host.tag({ 'data-deep-link': 'send' });
  host.put('/sends', host.document(sends));
  host.put('/off', host.document(host.tag({ 'data-deep-link': 'off' })));
  await using someone = await newReader();
  const reader = await someone.openPage('/start?a=1&ask=How%20so%3F#install');
  await eventually(() => reader.input().inputValue()).toBe('How so?');
  await eventually(() => reader.page.url()).toBe(`${host.origin}/start?a=1#install`);
  await eventually(() => reader.focused()).toBe('docent-input');
  expect(await stored()).toEqual([]);
  await reader.page.keyboard.press('Enter');
  await reader.isDone(1);

  await reader.get('question').hover();
  await reader.get('copy-link').click();
  const link = () => reader.page.evaluate(() => navigator.clipboard.readText());
  await eventually(link).toBe(`${host.origin}/start?a=1&ask=How+so%3F`);

  await using other = await newReader();
  const sending = await other.openPage('/sends?ask=At+once%3F');
  await sending.isDone(1);
  await eventually(() => questions(sending)).toEqual(['At once?']);
  await sending.page.reload();
  await sending.isDone(1);
  await eventually(() => questions(sending)).toEqual(['At once?']);
  await eventually(stored).toEqual([['How so?'], ['At once?']]);
  const off = await other.openPage('/off?ask=No');
  await off.launcher().waitFor();
  expect(off.page.url()).toBe(`${host.origin}/off?ask=No`);
  expect(await off.panel().count()).toBe(0);
});
