import { waitFor } from '@testing-library/preact';
import type { DocentApi } from '../embed/api.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

const right = { site: 'docs.example.com', key: 'svc_dsc_test' };
let warning: ReturnType<typeof vi.spyOn>;

/** Runs the script as a tag in the page does: each time anew. */
async function runScript(data: Record<string, string> = right): Promise<void> {
  const script = document.createElement('script');
  // Not to be fetched by the test's own page.
  script.type = 'text/plain';
  script.setAttribute('src', 'http://127.0.0.1:9/docent.js');
  Object.assign(script.dataset, data);
  document.head.replaceChildren(script);
  vi.resetModules();
  await import('./loader.ts');
}
const widgets = () => [...document.querySelectorAll('docent-widget')];
const launcher = () => widgets()[0]?.shadowRoot?.querySelector('button');
const press = (target: EventTarget, init: KeyboardEventInit = { key: 'i', ctrlKey: true }) => {
  const event = new KeyboardEvent('keydown', {
    bubbles: true,
    composed: true,
    cancelable: true,
    ...init,
  });
  target.dispatchEvent(event);
  return event;
};

beforeEach(() => {
  warning = vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  window.Docent?.('destroy');
  delete window.Docent;
  document.body.replaceChildren();
  document.head.replaceChildren();
  vi.restoreAllMocks();
});

describe('the script', () => {
  test('puts one launcher on the page, however often it runs', async () => {
    await runScript();
    await runScript();
    expect(widgets()).toHaveLength(1);
    expect(launcher()?.getAttribute('aria-label')).toBe('Ask the docs (Ctrl+I)');
    expect(launcher()?.getAttribute('aria-expanded')).toBe('false');
    expect(document.head.querySelectorAll('style, link')).toHaveLength(0);
    expect(widgets()[0]?.shadowRoot?.querySelectorAll('style, [style]')).toHaveLength(0);
  });
  test('ignores elements of the page that have its names', async () => {
    const picture = document.createElement('img');
    picture.src = 'https://attacker.example/docent.js';
    Object.assign(picture.dataset, { ...right, title: 'Not ours' });
    // As `name="currentScript"` and `id="Docent"` do in a browser.
    Object.defineProperty(document, 'currentScript', { value: picture, configurable: true });
    const form = Object.assign(document.createElement('form'), { widgets: picture, q: [['open']] });
    window.Docent = form as unknown as DocentApi;
    try {
      await runScript({ ...right, title: 'Ours' });
    } finally {
      Reflect.deleteProperty(document, 'currentScript');
    }
    expect(launcher()?.getAttribute('aria-label')).toBe('Ask: Ours (Ctrl+I)');
    expect(typeof window.Docent).toBe('function');
  });
  test('takes its title, side, theme and shortcut from the tag', async () => {
    await runScript({ ...right, title: 'Help', position: 'left', theme: 'dark', shortcut: 'none' });
    expect(widgets()[0]?.getAttribute('data-position')).toBe('left');
    expect(widgets()[0]?.getAttribute('data-theme')).toBe('dark');
    expect(launcher()?.getAttribute('aria-label')).toBe('Ask: Help');
    expect(press(document.body).defaultPrevented).toBe(false);
  });
  test('follows the theme of the page until it is destroyed', async () => {
    await runScript();
    const html = document.documentElement;
    const [widget] = widgets();
    const theme = () => widget?.getAttribute('data-theme');
    html.className = 'dark';
    await waitFor(() => expect(theme()).toBe('dark'));
    html.className = '';
    await waitFor(() => expect(theme()).toBe('light'));
    window.Docent?.('destroy');
    html.className = 'dark';
    await new Promise((resolve) => requestAnimationFrame(() => resolve(undefined)));
    expect(theme()).toBe('light');
    html.className = '';
  });
  test('keeps the theme of its tag', async () => {
    await runScript({ ...right, theme: 'dark' });
    document.documentElement.className = 'light';
    await new Promise((resolve) => requestAnimationFrame(() => resolve(undefined)));
    expect(widgets()[0]?.getAttribute('data-theme')).toBe('dark');
    document.documentElement.className = '';
  });
  test.each([{}, { site: 'docs.example.com' }, { site: 'docs.example.com', key: 'svc_admin' }])(
    'does not start with %j, and says so to the owner',
    async (data) => {
      await runScript(data as Record<string, string>);
      expect(widgets()).toHaveLength(0);
      expect(window.Docent).toBeUndefined();
    },
  );
});

describe('the API', () => {
  test('runs earlier calls in order', async () => {
    const queue: DocentApi = (...call: unknown[]) => {
      queue.q = [...Array.from(queue.q ?? []), call];
    };
    window.Docent = queue;
    window.Docent('open');
    window.Docent('close');
    await runScript();
    expect(launcher()?.dataset['state']).toBe('closed');
    expect(window.Docent).not.toBe(queue);
  });
  test('destroy leaves nothing, and the script can run again', async () => {
    await runScript();
    window.Docent?.('destroy');
    expect(widgets()).toHaveLength(0);
    expect('Docent' in window).toBe(false);
    expect(press(document.body).defaultPrevented).toBe(false);
    await runScript();
    expect(widgets()).toHaveLength(1);
  });
});

describe('the shortcut', () => {
  test('opens, but not from a field of the page', async () => {
    await runScript();
    const field = document.createElement('textarea');
    document.body.append(field);
    expect(press(field).defaultPrevented).toBe(false);
    expect(launcher()?.dataset['state']).toBe('closed');
    expect(press(document.body).defaultPrevented).toBe(true);
    expect(launcher()?.dataset['state']).toBe('loading');
  });
});

test('a panel that does not load: the launcher says so, and the next click tries again', async () => {
  await runScript();
  launcher()?.click();
  expect(launcher()?.textContent).toBe('Opening…');
  await waitFor(() => expect(launcher()?.textContent).toBe('Could not load. Try again'));
  expect(warning.mock.calls.map(String)).toContainEqual(
    expect.stringMatching(/^\[docent\] not loaded/),
  );
  launcher()?.click();
  expect(launcher()?.textContent).toBe('Opening…');
  await waitFor(() => expect(launcher()?.dataset['state']).toBe('failed'));
});
