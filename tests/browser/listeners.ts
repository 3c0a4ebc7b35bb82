import type { CDPSession } from 'playwright-core';

/** How many listeners the page's window, document and outermost elements have, by type. */
export async function listenersOf(cdp: CDPSession): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const expression of [
    'window',
    'document',
    'document.documentElement',
    'document.body',
    'visualViewport',
  ]) {
    const { result } = await cdp.send('Runtime.evaluate', { expression });
    const { listeners } = await cdp.send('DOMDebugger.getEventListeners', {
      objectId: result.objectId ?? '',
    });
    found[expression] = listeners.map(({ type }) => type).toSorted();
  }
  return found;
}
