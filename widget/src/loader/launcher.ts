/** The button that a reader sees first, without a framework. */
import type { Settings } from './settings.ts';
import { showShortcut } from './shortcut.ts';
import { languageOf, launcherText } from '../text/language.ts';

export type LauncherState = 'closed' | 'loading' | 'open' | 'failed';

const bubble =
  'M20 11.5a7.5 7.5 0 0 1-11 6.6L4 20l1.9-5A7.5 7.5 0 1 1 20 11.5ZM9.5 9.5a2.5 2.5 0 1 1 3.5 2.5q-1 .5-1 1.5M12 16v.01';

const small = (words: unknown) => String(words).toLowerCase();

export function createLauncher(settings: () => Settings, onIntent: () => void, onOpen: () => void) {
  const button = document.createElement('button');
  const label = document.createElement('span');
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  const set = (node: Element, attributes: Record<string, string | boolean>) => {
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value as string);
  };
  set(path, { d: bubble });
  set(svg, { viewBox: '0 0 24 24' });
  // Announced when it changes.
  set(label, { role: 'status' });
  set(button, {
    class: 'launcher',
    part: 'launcher',
    'data-testid': 'docent-launcher',
    'aria-haspopup': 'dialog',
  });
  svg.append(path);
  button.append(svg, label);

  button.onpointerenter = button.onfocus = onIntent;
  button.onclick = onOpen;

  let now: LauncherState = 'closed';
  const show = (state = now) => {
    now = state;
    const { shortcut, launcher, language, strings, title: given } = settings();
    const texts = launcherText(languageOf(language));
    const text = (key: string) => strings?.[key] ?? texts[key as keyof typeof texts];
    const word = text('button');
    const title = given ?? text('buttonName');
    // People who use voice control say the visible word, so the name contains it.
    const name = small(title).includes(small(word)) ? title : `${word}: ${title}`;
    // Also show a hidden launcher's failure.
    button.hidden = state === 'open' || (state !== 'failed' && !launcher);
    label.textContent = text(state) ?? word;
    set(button, {
      'data-state': state,
      'aria-expanded': state === 'open',
      'aria-label':
        state === 'failed'
          ? label.textContent
          : shortcut
            ? `${name} (${showShortcut(shortcut)})`
            : name,
    });
  };
  return { button, show };
}
