/**
 * The widget's JavaScript API, for the owner of a page:
 *
 *     window.Docent('ask', 'How do I install it?')
 *
 * To call it before the script has loaded, put this first; the calls run in order once it has:
 *
 *     window.Docent = window.Docent || function () { (Docent.q = Docent.q || []).push(arguments) }
 */
export type DocentCall =
  | [verb: 'open']
  | [verb: 'close']
  | [verb: 'toggle']
  | [verb: 'ask', question: string]
  | [verb: 'destroy'];

export interface DocentApi {
  (...call: DocentCall): void;
  /** Calls made before the script had loaded. */
  q?: ArrayLike<unknown>[];
  /** There once the real widget has taken the place of the queue. */
  ready?: true;
}

declare global {
  interface Window {
    Docent?: DocentApi;
  }
}
