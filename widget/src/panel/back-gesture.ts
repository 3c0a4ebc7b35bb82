/**
 * On a phone the panel is a screen of its own, and the gesture for "back" must leave that screen, not
 * the page. So an open panel has an entry in the tab's history, taken back when it closes in another way.
 * A router of the page is not disturbed: the entry has the page's address and a copy of the router's own
 * state, it is pushed past a `pushState` that the page has put in the place of the browser's, and its
 * `popstate` is kept from the page. Chromium asks the listeners of a window in the order they came, so
 * an earlier one does hear of it: as of a step from its own page, in its own state, to the same.
 */
import { effect, type ReadonlySignal } from '@preact/signals';
import { isRecord } from '../chat/message.ts';

const mark = 'docentPanel';

const isMarked = () => isRecord(history.state) && mark in history.state;

/** Changes the entry without the page's own `pushState` or `replaceState`. */
function write(how: 'pushState' | 'replaceState', state: unknown): void {
  try {
    History.prototype[how].call(history, state, '');
  } catch {
    // A sandboxed page, or one that wrote too often: the gesture then leaves the page, as ever.
  }
}

export function watchBackGesture(isScreen: ReadonlySignal<boolean>, close: () => void) {
  const gone = new AbortController();
  let isOurs = false;
  /** Callbacks that wait for our own step back. Set while the browser takes that step. */
  let afterwards: (() => void)[] | undefined;

  const match = () => {
    if (afterwards) return;
    if (isScreen.value) {
      // A state that is no object is none that we could add to.
      if (!isMarked() && (history.state === null || isRecord(history.state))) {
        write('pushState', { ...(history.state as object | null), [mark]: true });
      }
      isOurs = isMarked();
    } else if (isOurs && isMarked()) {
      afterwards = [];
      history.back();
    }
  };
  addEventListener(
    'popstate',
    (event) => {
      if (afterwards) {
        event.stopImmediatePropagation();
        const waiting = afterwards;
        afterwards = undefined;
        isOurs = false;
        for (const next of waiting) next();
        match();
      } else if (isScreen.value && isOurs && !isMarked()) {
        event.stopImmediatePropagation();
        isOurs = false;
        close();
      }
    },
    { signal: gone.signal, capture: true },
  );
  const stop = effect(() => {
    void isScreen.value;
    match();
  });
  return {
    /** Calls `next` once the address bar is where it was; `false` where it is already. */
    afterBack(next: () => void): boolean {
      afterwards?.push(next);
      return afterwards !== undefined;
    },
    stop(): void {
      stop();
      gone.abort();
      // No step back: the page would hear of it. The entry stays, as one of the page's own.
      if (isOurs && isMarked()) {
        const { [mark]: _, ...state } = history.state as Record<string, unknown>;
        write('replaceState', Object.keys(state).length ? state : null);
      }
    },
  };
}
