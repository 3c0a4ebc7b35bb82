import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { MenuItem } from '../menu-items.ts';
import { useDeps } from '../deps.ts';
import { useText } from '../../text/text.ts';
import { IconButton } from './icon-button.tsx';
import { MoreIcon } from './icons.tsx';

type Start = 'first' | 'last';

/** A menu button as in https://www.w3.org/WAI/ARIA/apg/patterns/menu-button/. */
export function Menu({ items }: { items: readonly MenuItem[] }) {
  const deps = useDeps();
  const text = useText();
  const [start, setStart] = useState<Start>();
  const root = useRef<HTMLDivElement>(null);
  const shown = items.filter(({ isShown }) => isShown?.(deps) ?? true);
  const buttons = () => [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];

  useLayoutEffect(() => {
    if (start)
      buttons()
        .at(start === 'first' ? 0 : -1)
        ?.focus();
  }, [start]);
  useCloseOutside(root, start !== undefined, () => setStart(undefined));

  const close = () => {
    setStart(undefined);
    root.current?.querySelector<HTMLElement>('[aria-haspopup]')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!start) {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      setStart(event.key === 'ArrowDown' ? 'first' : 'last');
    } else if (event.key === 'Escape') {
      close();
    } else if (event.key === 'Tab') {
      // The focus continues from the button.
      return close();
    } else if (!move(event, buttons())) {
      return;
    }
    // Escape would close the panel, and an arrow would scroll it.
    event.preventDefault();
    event.stopPropagation();
  };

  if (!shown.length) return null;
  return (
    <div class="menu" ref={root} onKeyDown={onKeyDown}>
      <IconButton
        testId="docent-menu"
        name={text.menu}
        aria-haspopup="menu"
        aria-expanded={start !== undefined}
        onClick={() => setStart(start ? undefined : 'first')}
        icon={MoreIcon}
      />
      {start && (
        <div class="menu-list" part="menu" role="menu" aria-label={text.menu}>
          {shown.map(({ id, name, icon: Icon, onSelect }) => (
            <button
              key={id}
              type="button"
              role="menuitem"
              tabIndex={-1}
              data-testid={`docent-menu-${id}`}
              onClick={() => {
                close();
                onSelect(deps, text);
              }}
            >
              <Icon />
              {name(text)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Moves the focus. `false` for other keys. */
function move({ key, ctrlKey, metaKey, altKey }: KeyboardEvent, items: HTMLElement[]): boolean {
  const root = items[0]?.getRootNode() as ShadowRoot | Document | undefined;
  const at = items.findIndex((item) => item === root?.activeElement);
  const steps: Record<string, number> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at <= 0 ? items.length : at) - 1,
    Home: 0,
    End: items.length - 1,
  };
  let to = steps[key];
  if (to === undefined) {
    if (key.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey) return false;
    // The next item that begins with this letter.
    const order = items.map((_item, index) => (at + 1 + index) % items.length);
    to = order.find((index) =>
      items[index]?.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()),
    );
  }
  items[to ?? at]?.focus();
  return true;
}

/** Closes the menu on a press or focus elsewhere, also outside our shadow root. */
function useCloseOutside(
  root: RefObject<HTMLElement | null>,
  isOpen: boolean,
  close: () => void,
): void {
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    const undo = new AbortController();
    const onOther = (event: Event) => {
      if (root.current && !event.composedPath().includes(root.current)) close();
    };
    for (const name of ['pointerdown', 'focusin']) {
      document.addEventListener(name, onOther, { signal: undo.signal, capture: true });
    }
    return () => undo.abort();
  }, [isOpen]);
}
