/**
 * A page with a hook in it, rendered by the real React. React needs a document; everything else,
 * `fetch` above all, stays Node's.
 */
import { Window } from 'happy-dom';
import { createElement } from 'react';
import { waitFor } from './wait-for.ts';

export async function renderHook<Value>(
  hook: () => Value,
): Promise<{ current: () => Value; [Symbol.dispose](): void }> {
  const window = new Window();
  // React DOM looks for these when it is loaded.
  Object.assign(globalThis, { window, document: window.document });
  const { createRoot } = await import('react-dom/client');
  let current: { value: Value } | undefined;
  function Page() {
    current = { value: hook() };
    return null;
  }
  const root = createRoot(window.document.createElement('div') as unknown as Element);
  root.render(createElement(Page));
  await waitFor('the hook to be rendered', () => current);
  return {
    current: () => (current as { value: Value }).value,
    [Symbol.dispose]: () => root.unmount(),
  };
}
