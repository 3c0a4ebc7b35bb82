/** The items of the menu in the panel's header, in order. */
import type { FunctionComponent } from 'preact';
import {
  CopyIcon,
  DownloadIcon,
  FlagIcon,
  HideIcon,
  PersonIcon,
  ShrinkIcon,
  WidenIcon,
} from './components/icons.tsx';
import { askPerson } from './ask-person.ts';
import type * as Export from '../export/export.ts';
import type { PanelDeps } from './deps.ts';
import type { Text } from '../text/text.ts';

export interface MenuItem {
  /** The test ID after `docent-menu-`. */
  id: string;
  name: (text: Text) => string;
  icon: FunctionComponent;
  /** Missing: always shown. */
  isShown?: (deps: PanelDeps) => boolean;
  onSelect: (deps: PanelDeps, text: Text) => unknown;
}

const canGrow = ({ settings, isFull }: PanelDeps) =>
  !isFull.value && ['bubble', 'sidebar'].includes(settings.value.layout);

const hasMessages = ({ session, view }: PanelDeps) =>
  !session.isEmpty.value && view.value === 'conversation';

/** The code may not load. Tell the reader, and throw nothing into the page. */
const exportBy =
  (how: keyof Pick<typeof Export, 'copyConversation' | 'downloadConversation'>) =>
  (deps: PanelDeps, text: Text): Promise<unknown> =>
    import('../export/export.ts')
      .then((module) => module[how](deps, text))
      .catch(() => deps.announce(text.notCopied));

export const menuItems: readonly MenuItem[] = [
  {
    id: 'copy',
    name: (text) => text.copyConversation,
    icon: CopyIcon,
    isShown: hasMessages,
    onSelect: exportBy('copyConversation'),
  },
  {
    id: 'download',
    name: (text) => text.downloadConversation,
    icon: DownloadIcon,
    isShown: hasMessages,
    onSelect: exportBy('downloadConversation'),
  },
  {
    id: 'widen',
    name: (text) => text.widen,
    icon: WidenIcon,
    isShown: (deps) => canGrow(deps) && !deps.isWide.value,
    onSelect: ({ isWide }) => (isWide.value = true),
  },
  {
    id: 'shrink',
    name: (text) => text.shrink,
    icon: ShrinkIcon,
    isShown: (deps) => canGrow(deps) && deps.isWide.value,
    onSelect: ({ isWide }) => (isWide.value = false),
  },
  {
    id: 'person',
    name: (text) => text.askPerson,
    icon: PersonIcon,
    isShown: ({ site }) => site.value?.handOver !== undefined,
    onSelect: askPerson,
  },
  {
    id: 'report',
    name: (text) => text.reportTitle,
    icon: FlagIcon,
    isShown: ({ site, settings }) => !!site.value?.pageReports && settings.value.feedback,
    onSelect: ({ view }) => (view.value = 'report'),
  },
  {
    id: 'hide',
    name: (text) => text.hideMenu,
    icon: HideIcon,
    // Readers can't hide an inline panel: it's part of the page.
    isShown: ({ settings, consent }) => settings.value.layout !== 'inline' && consent.isGiven.value,
    onSelect: ({ view }) => (view.value = 'hide'),
  },
];
