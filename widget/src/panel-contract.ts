/** What the loader and the lazy panel know of each other. */
import type { ContextItem } from '@docent/shared/assistant';
import type { Emit } from './events.ts';
import type { Data, Settings } from './settings.ts';

export interface PanelHost {
  settings: Settings;
  /** Everything visible lives in here; the panel adds its own style sheet. */
  shadow: ShadowRoot;
  /** The panel was closed from inside: Escape or its button. */
  onClosed: () => void;
  emit: Emit;
}

export interface Panel {
  /** Without focus where the reader did not ask for it, as after a navigation. */
  open(takeFocus: boolean): void;
  close(): void;
  ask(question: string): void;
  addContext(item: ContextItem): void;
  /** The owner changed settings on the living page. */
  update(settings: Settings): void;
  unmount(): void;
}

/** `panel.tsx`'s one export. */
export type MountPanel = (host: PanelHost) => Panel;

/** `selection-button.ts`'s one export: shows "Ask about this" near a selection; returns its undo. */
export type OfferSelection = (
  shadow: ShadowRoot,
  onAsk: (item: ContextItem) => void,
  shortcut: string | undefined,
) => () => void;

/** `explain.ts`'s one export: tells the owner of the site what to write instead. */
export type Explain = (data: Data, wrong: readonly string[]) => void;

/** Session storage: the panel was open when the reader left this page. */
export const openMark = (site: string): string => `docent:${site}:open`;
