import { afterEach, describe, expect, test } from 'vitest';
import { contextOf, readSelection } from './selection.ts';

function page(): void {
  const make = (tag: string, id: string, text: string, parent: Element = document.body) => {
    const element = document.createElement(tag);
    if (id) element.id = id;
    element.textContent = text;
    parent.append(element);
    return element;
  };
  make('p', 'intro', 'Words before any heading.');
  make('h1', 'install', 'Install');
  make('p', '', 'Paste one tag.').className = 'one';
  const heading = make('h2', '', '');
  make('a', 'anchor-inside', 'Options', heading);
  make('p', '', 'There are options.').className = 'two';
  make('pre', '', '').append(
    Object.assign(document.createElement('code'), { textContent: 'npm i docent' }),
  );
  const section = make('section', 'wrapped', '');
  make('p', '', 'Inside a section.', section).className = 'three';
  make('div', '', 'editable text').setAttribute('contenteditable', 'true');
  make('h2', 'later', 'Later');
}

function select(selector: string) {
  const node = document.querySelector(selector);
  const selection = getSelection();
  const range = document.createRange();
  if (node) range.selectNodeContents(node);
  selection?.removeAllRanges();
  selection?.addRange(range);
  return readSelection();
}

afterEach(() => document.body.replaceChildren());

describe('selected text', () => {
  test.each([
    ['.one', 'textSelection', 'Paste one tag.', 'install'],
    ['.two', 'textSelection', 'There are options.', 'anchor-inside'],
    ['pre code', 'code', 'npm i docent', 'anchor-inside'],
    ['.three', 'textSelection', 'Inside a section.', 'wrapped'],
    ['#install', 'textSelection', 'Install', 'install'],
    ['#intro', 'textSelection', 'Words before any heading.', 'intro'],
  ])('%s', (selector, type, value, elementId) => {
    page();
    expect(contextOf(select(selector))).toMatchObject({
      type,
      value,
      path: '/docs/install',
      elementId,
    });
  });
  test('the heading above, without its anchor link', () => {
    page();
    const anchor = document.createElement('a');
    anchor.textContent = '¶';
    document.querySelector('#install')?.append(anchor);
    expect(contextOf(select('.one'))?.heading).toBe('Install');
    expect(contextOf(select('.two'))?.heading).toBe('Options');
    expect(contextOf(select('#intro'))?.heading).toBeUndefined();
  });
  test('none without a selection, in a field, or in our own element', () => {
    page();
    expect(contextOf(undefined)).toBeUndefined();
    getSelection()?.removeAllRanges();
    expect(contextOf(readSelection())).toBeUndefined();
    expect(contextOf(select('[contenteditable]'))).toBeUndefined();
    const own = document.createElement('docent-widget');
    const words = document.createElement('p');
    words.textContent = 'our words';
    own.attachShadow({ mode: 'open' }).append(words);
    document.body.append(own);
    getSelection()?.selectAllChildren(words);
    expect(contextOf(readSelection())).toBeUndefined();
  });
});
