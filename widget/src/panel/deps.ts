/** The dependencies of the panel's components. */
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

export type View = 'conversation' | 'threads' | 'report' | 'person' | 'hide';

export interface PanelDeps {
  shadow: ShadowRoot;
  /** Fires when the panel is removed. */
  signal: AbortSignal;
  settings: ReadonlySignal<Settings>;
  service: Service;
  session: Session;
  deletions: Deletions;
  consent: Consent;
  emit: Emit;
  site: ReadonlySignal<SiteInfo | undefined>;
  view: Signal<View>;
  /** The question in the field. */
  draft: Signal<string>;
  /** The pieces of the page that the question refers to. */
  context: Signal<PageContext[]>;
  /** The reader tried to add too many pieces. */
  isContextFull: Signal<boolean>;
  /** The ID of the question that is being edited. */
  editing: Signal<string | undefined>;
  field: RefObject<HTMLTextAreaElement | null>;
  /** The panel fills the screen, as on a phone. */
  isFull: ReadonlySignal<boolean>;
  /** The open panel blocks the page. */
  isModal: ReadonlySignal<boolean>;
  /** The reader chose a larger panel. */
  isWide: Signal<boolean>;
  /** Sends a question with the context. While an answer runs, it becomes the draft. */
  ask: (question: string) => void;
  startNew: () => void;
  /** Leaves another view. */
  toConversation: () => void;
  /** The reader's ID for the service, created at the first call. */
  fp: () => string;
  /** Announces something to screen readers. */
  announce: (words: string) => void;
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
