/** What the owner of a page can do with the widget, each seen by what a reader sees of it. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { readerOf } from './widget-host.ts';

declare global {
  interface Window {
    /** `Docent(verb, …)`, or the method of that name of the module's object. */
    callWidget: (verb: string, ...values: unknown[]) => void;
    handlers: Record<'first' | 'second' | 'closed', () => void>;
    calls: string[];
  }
}

/** The page has `callWidget`; its panel is closed. */
export async function tryVerbs(page: Page): Promise<void> {
  const { panel, launcher } = readerOf(page);
  const call = (verb: string, event?: string, handler?: keyof Window['handlers']) =>
    page.evaluate(
      ([name = '', on, by]) =>
        by
          ? window.callWidget(name, on, window.handlers[by as 'first'])
          : on
            ? window.callWidget(name, on)
            : window.callWidget(name),
      [verb, event, handler],
    );
  const isOpen = async (is: boolean) => {
    await expect.poll(() => panel().isVisible()).toBe(is);
    await expect.poll(() => launcher().isVisible()).toBe(!is);
  };
  /** What has been called since the last time. */
  const called = () => page.evaluate(() => window.calls.splice(0));

  await page.evaluate(() => {
    const note = (name: string) => () => void window.calls.push(name);
    window.calls = [];
    window.handlers = { first: note('first'), second: note('second'), closed: note('closed') };
  });
  await call('on', 'open', 'first');
  await call('on', 'open', 'second');
  await call('on', 'close', 'closed');
  await call('open');
  await isOpen(true);
  await call('open');
  await isOpen(true);
  await call('close');
  await isOpen(false);
  await call('close');
  await call('toggle');
  await isOpen(true);
  await call('toggle');
  await isOpen(false);
  expect(await called()).toEqual(['first', 'second', 'closed', 'first', 'second', 'closed']);

  await call('off', 'open', 'first');
  await call('open');
  await isOpen(true);
  await call('close');
  await isOpen(false);
  expect(await called()).toEqual(['second', 'closed']);

  await call('off', 'open');
  await call('open');
  await isOpen(true);
  await call('close');
  await isOpen(false);
  expect(await called()).toEqual(['closed']);
}
