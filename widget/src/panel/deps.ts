/** What the components of one panel share; no component has to hand them on. */
import type { ReadonlySignal, Signal } from '@preact/signals';
import { createContext, type RefObject } from 'preact';
import { useContext } from 'preact/hooks';
import type { Deletions } from '../conversations/deletions.ts';
import type { Consent } from './consent.ts';
import type { Emit } from '../embed/events.ts';
import type { PageContext } from '../loader/panel-contract.ts';
import type { Service } from '../chat/service.ts';
import type { Session } from '../conversations/session.ts';
import type { Settings } from '../loader/settings.ts';
import type { SiteInfo } from './site.ts';

/** What the panel shows between its header and its composer. */
export type View = 'conversation' | 'threads' | 'report' | 'hide';

export interface PanelDeps {
  /** All that is ours on the page. */
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
  /** What it is about: the chips above it. */
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
  /** What the service knows this reader by; made at the first call. */
  fp: () => string;
  /** Says something to those who do not see the screen, once what is being said is over. */
  announce: (words: string) => void;
  /** The last thing to be said so. */
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
