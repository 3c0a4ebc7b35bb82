/**
 * On a phone, "back" must close the panel, not leave the page, so an open panel has its own history
 * entry. Routers aren't disturbed: the entry has the page's address and a copy of the router's
 * state, bypasses a replaced `pushState`, and its `popstate` doesn't reach the page. A listener
 * that was there first hears of a step to the same page.
 */
import { effect, type ReadonlySignal } from '@preact/signals';
import { isRecord } from '../chat/message.ts';

const mark = 'docentPanel';

const isMarked = () => isRecord(history.state) && mark in history.state;

/** Bypasses a page that has replaced `pushState` or `replaceState`. */
function write(how: 'pushState' | 'replaceState', state: unknown): void {
  try {
    History.prototype[how].call(history, state, '');
  } catch {
    // A sandboxed page, or one that wrote too often: the gesture leaves the page.
  }
}

export function watchBackGesture(isScreen: ReadonlySignal<boolean>, close: () => void) {
  const gone = new AbortController();
  let isOurs = false;
  /** Callbacks that wait for our own step back. Set during that step. */
  let afterwards: (() => void)[] | undefined;

  const match = () => {
    if (afterwards) return;
    if (isScreen.value) {
      // We can't add to a state that isn't an object.
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
    /** Calls `next` after our own step back. `false` if there is none. */
    afterBack(next: () => void): boolean {
      afterwards?.push(next);
      return afterwards !== undefined;
    },
    stop(): void {
      stop();
      gone.abort();
      // A step back would reach the page, so keep the entry as one of the page's own.
      if (isOurs && isMarked()) {
        const { [mark]: _, ...state } = history.state as Record<string, unknown>;
        write('replaceState', Object.keys(state).length ? state : null);
      }
    },
  };
}
