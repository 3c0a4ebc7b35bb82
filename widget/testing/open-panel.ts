/** The whole panel in a shadow root, as the loader mounts it, against a service. */
import { waitFor } from '@testing-library/preact';
import { mountPanel } from '../src/panel/panel.tsx';
import { readAllSettings } from '../src/embed/all-settings.ts';

export const site = 'docs.example.com';

/** `isOpened`: as on a page that opens it; else it is loaded and not shown yet. */
export function openPanel(base: string, takeFocus = true, isOpened = true) {
  const element = document.createElement('docent-widget');
  document.body.append(element);
  const shadow = element.attachShadow({ mode: 'open' });
  const { settings } = readAllSettings({ site, key: 'svc_dsc_test' }, `${base}/docent.js`);
  let closedCount = 0;
  const events: [name: string, event: unknown][] = [];
  const panel = mountPanel({
    settings,
    shadow,
    onClosed: () => closedCount++,
    hide: () => {},
    emit: (name, event) => void events.push([name, event]),
  });
  if (isOpened) panel.open(takeFocus);

  const find = (name: string) => shadow.querySelector<HTMLElement>(`[data-testid=docent-${name}]`);
  const all = (name: string) => [
    ...shadow.querySelectorAll<HTMLElement>(`[data-testid=docent-${name}]`),
  ];
  const get = (name: string): HTMLElement => {
    const node = find(name);
    if (!node) throw new Error(`No docent-${name}: ${shadow.textContent}`);
    return node;
  };
  const type = (text: string) => {
    const input = get('input') as HTMLTextAreaElement;
    input.value = text;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const press = (key: string, init: KeyboardEventInit = {}, target = get('input')) => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
    target.dispatchEvent(event);
    return event;
  };
  return {
    panel,
    settings,
    shadow,
    find,
    get,
    all,
    /** What the owner of the page would hear, in order. */
    events,
    type,
    press,
    closedCount: () => closedCount,
    click: (name: string) => get(name).click(),
    text: (name: string) => get(name).textContent,
    ask: (question: string) => {
      type(question);
      press('Enter');
    },
    /** Waits until the last answer is whole. */
    settled: (count = 1) =>
      waitFor(() => {
        const answers = all('answer');
        const state = answers.at(-1)?.dataset['state'];
        if (answers.length !== count || state === 'streaming')
          throw new Error(`answers: ${answers.length} ${state}`);
      }),
    unmount: () => {
      panel.unmount();
      element.remove();
    },
  };
}
