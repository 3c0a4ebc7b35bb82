/** The dependencies that the components of a panel share through a context. */
import type { ReadonlySignal, Signal } from '@preact/signals';
import { createContext, type RefObject } from 'preact';
import { useContext } from 'preact/hooks';
import type { Deletions } from '../conversations/deletions.ts';
import type { Consent } from './consent.ts';
import type { Emit } from '../embed/events.ts';
import type { PageContext } from '../page-context/items.ts';
import type { Service } from '../chat/service.ts';
import type { Session } from '../conversations/session.ts';
import type { Settings } from '../loader/settings.ts';
import type { SiteInfo } from './site.ts';

/** The view between the panel's header and its composer. */
export type View = 'conversation' | 'threads' | 'report' | 'hide';

export interface PanelDeps {
  /** The shadow root that holds the widget. */
  shadow: ShadowRoot;
  /** Fires when the panel goes. */
  signal: AbortSignal;
  settings: ReadonlySignal<Settings>;
  service: Service;
  session: Session;
  deletions: Deletions;
  consent: Consent;
  emit: Emit;
  site: ReadonlySignal<SiteInfo | undefined>;
  view: Signal<View>;
  /** The question that is being written. */
  draft: Signal<string>;
  /** The pieces of the page that the question refers to, shown as chips. */
  context: Signal<PageContext[]>;
  /** One more piece was wanted than can go along; until they change. */
  isContextFull: Signal<boolean>;
  /** The question that is being asked in other words. */
  editing: Signal<string | undefined>;
  field: RefObject<HTMLTextAreaElement | null>;
  /** The panel fills the screen, as on a phone. */
  isFull: ReadonlySignal<boolean>;
  /** Nothing of the page can be used while the panel is open. */
  isModal: ReadonlySignal<boolean>;
  /** The reader asked for a larger panel. */
  isWide: Signal<boolean>;
  /** Sends a question with the context; while an answer runs it becomes the draft. */
  ask: (question: string) => void;
  /** Leaves this conversation for a new one. */
  startNew: () => void;
  /** The reader's ID for the service, created at the first call. */
  fp: () => string;
  /** Announces something to screen readers. */
  announce: (words: string) => void;
  /** The last announcement. */
  announcement: ReadonlySignal<string>;
  close: () => void;
  /** Hides the assistant on this device. */
  hide: () => void;
}

export const DepsContext = createContext<PanelDeps | undefined>(undefined);

export function useDeps(): PanelDeps {
  const deps = useContext(DepsContext);
  if (!deps) throw new Error('Components of the panel are drawn inside DepsContext');
  return deps;
}
