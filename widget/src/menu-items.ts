/**
 * What the menu in the panel's header offers, in this order. A feature adds its line here; what the
 * line does is in a file of the feature's own, and what is seldom used comes by `import()`.
 */
import type { FunctionComponent } from 'preact';
import { ShrinkIcon, WidenIcon } from './components/icons.tsx';
import type { Parts } from './parts.ts';
import type { Text } from './text/text.ts';

export interface MenuItem {
  /** Names it to tests: `docent-menu-<id>`. */
  id: string;
  name: (text: Text) => string;
  icon: FunctionComponent;
  /** Missing: always. Signals that it reads draw the menu again. */
  isShown?: (parts: Parts) => boolean;
  onSelect: (parts: Parts) => unknown;
}

/** A panel that floats over a page with room around it. */
const canGrow = ({ settings, isFull }: Parts) =>
  !isFull.value && ['bubble', 'sidebar'].includes(settings.value.layout);

export const menuItems: readonly MenuItem[] = [
  {
    id: 'widen',
    name: ({ menu }) => menu.widen,
    icon: WidenIcon,
    isShown: (parts) => canGrow(parts) && !parts.isWide.value,
    onSelect: ({ isWide }) => (isWide.value = true),
  },
  {
    id: 'shrink',
    name: ({ menu }) => menu.shrink,
    icon: ShrinkIcon,
    isShown: (parts) => canGrow(parts) && parts.isWide.value,
    onSelect: ({ isWide }) => (isWide.value = false),
  },
];
