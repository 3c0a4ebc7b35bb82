/** The types that the loader and the lazily loaded panel share. */
import type { ContextItem } from '@docent/shared/assistant';
import type { DocentWidget } from '../embed/api.ts';
import type { Boot } from './boot.ts';
import type { Emit, OpenedBy } from '../embed/events.ts';
import type { Data, Settings } from './settings.ts';

export interface PanelHost {
  settings: Settings;
  /** Everything visible lives in here; the panel adds its own style sheet. */
  shadow: ShadowRoot;
  /** The panel was closed from inside: Escape or its button. */
  onClosed: () => void;
  emit: Emit;
  /** Hides the assistant on this device, as the reader wishes. */
  hide: () => void;
}

export interface Panel {
  /** Settles when its texts have come; `undefined` where nothing is waited for. */
  ready(): Promise<unknown> | undefined;
  /** Without focus where the reader did not ask for it, as after a navigation. */
  open(takeFocus: boolean): void;
  close(): void;
  /** Without `send` the question is only put in the field. */
  ask(question: string, send: boolean): void;
  addContext(item: PageContext): void;
  /** The owner changed settings on the living page. */
  update(settings: Settings): void;
  /** Withdraws the reader's consent. */
  withdrawConsent(): void;
  /** Something was asked: from then on it is known on other pages whether the panel is open. */
  hasConversation(): boolean;
  /** A new conversation. */
  reset(): void;
  unmount(): void;
}

/** Mounts the panel; `createWidget` and the tests call it. */
export type MountPanel = (host: PanelHost) => Panel;

/** A piece of the page that a reader asks about; more of it than the service is told. */
export type PageContext = ContextItem & {
  heading?: string | undefined;
  /** Only its beginning goes along. */
  isCut?: boolean;
};

/** The widget, as seen by code that works on the page itself. */
export interface PageHost {
  shadow: ShadowRoot;
  settings: () => Settings;
  /** Fires when the widget is destroyed. Nothing of it may stay behind. */
  signal: AbortSignal;
  onAsk: (item: PageContext) => void;
}

/** `context/offers.ts`'s one export: "Ask about this" at selected text and at blocks of code. */
export type Offer = (page: PageHost) => void;

/** `citations/landing.ts`'s export: marks the words on the page that a citation led to. */
export type Land = (page: Pick<PageHost, 'shadow' | 'settings' | 'signal'>) => void;

/** A widget in use: the owner's methods and the loader's. */
export interface Widget extends DocentWidget {
  /** The launcher or the shortcut was pressed. */
  press(by: OpenedBy): void;
  askAbout(item: PageContext): void;
  /** It was open on the page that the reader came from. */
  resume(): void;
  /** The page's address may hold a question: see deep-link.ts. */
  followLink(): void;
  /** Calls one of these by its name, as owners do; an unknown one is explained. */
  run(verb: string, ...values: unknown[]): void;
  /** Its tag ran once more. `false`: that tag is for another site. */
  again(script: HTMLScriptElement): boolean;
}

/** The export of `panel.tsx` that the loader calls. */
export type StartWidget = (boot: Boot) => Widget;

/** `explain.ts`'s one export: tells the owner of the site what to write instead. */
export type Explain = (data: Data, wrong: readonly string[], isUpdate?: boolean) => void;
