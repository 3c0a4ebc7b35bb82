/** For each test of the panel: a service of its own, and nothing left of it afterwards. */
import { afterEach, beforeEach, vi } from 'vitest';
import { openPanel } from './open-panel.ts';
import { type Service, startService } from './service.ts';

// Set anew before each test; an import is a live binding, so it sees the new one.
export let service: Service;
let open: ReturnType<typeof openPanel> | undefined;

/** Opens the panel against the test's service; the last one is closed after the test. */
export function show(takeFocus = true, isOpened = true) {
  return (open = openPanel(service.url, takeFocus, isOpened));
}

export function usePanelService(): void {
  beforeEach(async () => {
    service = await startService();
    vi.spyOn(console, 'warn').mockImplementation(() => {});
  });
  afterEach(async () => {
    open?.unmount();
    open = undefined;
    await service.close();
    localStorage.clear();
    sessionStorage.clear();
    document.body.replaceChildren();
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
}
