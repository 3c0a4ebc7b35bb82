/**
 * The widget's JavaScript API, for the owner of a page:
 *
 *     window.Docent('ask', 'How do I install it?')
 *
 * To call it before the script has loaded, put this first; the calls run in order once it has:
 *
 *     window.Docent = window.Docent || function () { (Docent.q = Docent.q || []).push(arguments) }
 */
import type { DocentEventName, DocentEvents } from './events.ts';
import type { DocentUpdate } from './options.ts';

export type { DocentEventName, DocentEvents, OpenedBy } from './events.ts';
export type { AnswerFilter, DocentOptions, DocentUpdate } from './options.ts';

export interface AskOptions {
  /** `false` only writes the question into the field; the reader sends it. Default `true`. */
  send?: boolean;
}

export type DocentHandler<Name extends DocentEventName> = (event: DocentEvents[Name]) => void;

/** One widget; `createDocent` of the ES module returns it, `Docent('verb', …)` calls it by name. */
export interface DocentWidget {
  open(): void;
  close(): void;
  toggle(): void;
  /** Opens the panel and asks. */
  ask(question: string, options?: AskOptions): void;
  /** Changes settings; what is not mentioned stays, `null` returns to the default. */
  update(patch: DocentUpdate): void;
  /** Starts a new conversation. */
  reset(): void;
  /** Takes the widget away with everything it added. What the reader asked stays in their browser. */
  destroy(): void;
  on<Name extends DocentEventName>(name: Name, handler: DocentHandler<Name>): void;
  /** Without a handler: all handlers of this event. */
  off<Name extends DocentEventName>(name: Name, handler?: DocentHandler<Name>): void;
}

/** A verb; `'blog:open'` is for the widget with `data-name="blog"`. */
export type Verb<Name extends keyof DocentWidget> = Name | `${string}:${Name}`;

export interface DocentApi {
  (verb: Verb<'open' | 'close' | 'toggle' | 'reset' | 'destroy'>): void;
  (verb: Verb<'ask'>, question: string, options?: AskOptions): void;
  (verb: Verb<'update'>, patch: DocentUpdate): void;
  <Name extends DocentEventName>(verb: Verb<'on'>, name: Name, handler: DocentHandler<Name>): void;
  <Name extends DocentEventName>(
    verb: Verb<'off'>,
    name: Name,
    handler?: DocentHandler<Name>,
  ): void;
  /** Calls that wait for their widget. */
  q?: ArrayLike<unknown>[];
  /** The widgets of this page by name; internal. */
  widgets?: Record<string, unknown>;
}

declare global {
  interface Window {
    Docent?: DocentApi;
  }
}
