/** The button that a reader sees first. Made by hand: the loader carries no framework. */
import type { Settings } from './settings.ts';
import { showShortcut } from './shortcut.ts';
import { launcherStrings as text } from './strings.ts';

export type LauncherState = 'closed' | 'loading' | 'open' | 'failed';

function make(tag: string, className: string, content = ''): HTMLElement {
  const node = document.createElement(tag);
  node.className = className;
  node.textContent = content;
  return node;
}

function icon(): SVGElement {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute(
    'd',
    'M20 11.5a7.5 7.5 0 0 1-11 6.6L4 20l1.9-5A7.5 7.5 0 1 1 20 11.5ZM9.5 9.8a2.6 2.6 0 1 1 3.6 2.4c-.6.3-1 .7-1 1.3M12.1 16v.01',
  );
  svg.append(path);
  return svg;
}

export function createLauncher(
  { title, shortcut }: Settings,
  on: { onIntent: () => void; onOpen: () => void },
) {
  const node = make('div', 'launcher-area');
  const button = make('button', 'launcher') as HTMLButtonElement;
  button.type = 'button';
  button.part.add('launcher');
  button.dataset['testid'] = 'docent-launcher';
  button.setAttribute('aria-haspopup', 'dialog');
  const name = title ?? text.buttonName;
  button.setAttribute('aria-label', shortcut ? `${name} (${showShortcut(shortcut)})` : name);
  const label = make('span', 'launcher-label', text.button);
  button.append(icon(), make('span', 'spinner'), label);
  // Always there, so that screen readers hear what is put into it.
  const note = make('div', 'launcher-note');
  note.setAttribute('role', 'status');
  node.append(note, button);

  for (const intent of ['pointerenter', 'focus', 'pointerdown']) {
    button.addEventListener(intent, on.onIntent);
  }
  button.addEventListener('click', on.onOpen);

  const show = (state: LauncherState) => {
    node.dataset['state'] = state;
    button.setAttribute('aria-expanded', String(state === 'open'));
    button.setAttribute('aria-busy', String(state === 'loading'));
    label.textContent = state === 'loading' ? text.loading : text.button;
    note.replaceChildren();
    if (state !== 'failed') return;
    const again = make('button', 'launcher-again', text.tryAgain) as HTMLButtonElement;
    again.type = 'button';
    again.addEventListener('click', on.onOpen);
    note.append(make('span', '', text.loadFailed), again);
  };
  show('closed');
  return { node, button, show };
}
