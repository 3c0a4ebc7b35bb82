import { waitFor } from '@testing-library/preact';
import { afterEach, expect, test } from 'vitest';
import type { ContextItem } from '@docent/shared/assistant';
import { offerSelection } from './selection-button.ts';

let stop: (() => void) | undefined;

function offer(shortcut?: string) {
  const shadow = document.createElement('docent-widget').attachShadow({ mode: 'open' });
  document.body.append(shadow.host);
  const asked: ContextItem[] = [];
  stop = offerSelection(shadow, (item) => asked.push(item), shortcut);
  const button = shadow.querySelector('button');
  if (!button) throw new Error('No button');
  return { asked, button, shadow };
}

function select(text: string): void {
  const paragraph = document.createElement('p');
  paragraph.textContent = text;
  document.body.append(paragraph);
  const range = document.createRange();
  range.selectNodeContents(paragraph);
  getSelection()?.removeAllRanges();
  getSelection()?.addRange(range);
  document.dispatchEvent(new Event('selectionchange'));
}

afterEach(() => {
  stop?.();
  getSelection()?.removeAllRanges();
  document.body.replaceChildren();
});

test('a selection is offered, asked about once, and offered anew when it changes', async () => {
  const { asked, button } = offer();
  expect(button.hidden).toBe(true);
  select('First words');
  await waitFor(() => expect(button.hidden).toBe(false));
  button.click();
  expect(asked.map(({ value }) => value)).toEqual(['First words']);
  expect(button.hidden).toBe(true);
  select('Second words');
  await waitFor(() => expect(button.hidden).toBe(false));
});

test('not while the pointer is still pressed', async () => {
  const { button } = offer();
  document.dispatchEvent(new Event('pointerdown'));
  select('Words');
  document.dispatchEvent(new Event('pointerup'));
  await waitFor(() => expect(button.hidden).toBe(false));
});

test('the shortcut asks about the selection', async () => {
  const { asked, button } = offer('ctrl+i');
  const press = () => {
    const event = new KeyboardEvent('keydown', { key: 'i', ctrlKey: true, cancelable: true });
    document.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(press()).toBe(false);
  select('Words');
  await waitFor(() => expect(button.hidden).toBe(false));
  expect(press()).toBe(true);
  expect(asked).toHaveLength(1);
});

test('stopped, it leaves nothing', () => {
  const { shadow } = offer();
  stop?.();
  stop = undefined;
  expect(shadow.childNodes).toHaveLength(0);
  expect(shadow.adoptedStyleSheets).toHaveLength(0);
});
