/**
 * A page with a hook in it, rendered by the real React. React needs a document; everything else,
 * `fetch` above all, stays Node's.
 */
import { Window } from 'happy-dom';
import { createElement } from 'react';
import { waitFor } from './wait-for.ts';

const window = new Window();
let open = 0;

/** `load`: gives the hook. It is called within the page, where packages look whether they are in one. */
export async function renderHook<Value>(
  load: () => Promise<() => Value>,
): Promise<{ current: () => Value; [Symbol.dispose](): void }> {
  open += 1;
  Object.assign(globalThis, { window, document: window.document });
  const { createRoot } = await import('react-dom/client');
  const hook = await load();
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
    [Symbol.dispose]() {
      root.unmount();
      open -= 1;
      if (open > 0) return;
      // What comes after is no page. React may still ask a window which event it is in.
      Reflect.deleteProperty(globalThis, 'document');
      Object.assign(globalThis, { window: {} });
    },
  };
}
