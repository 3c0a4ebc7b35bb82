import { useRef } from 'preact/hooks';
import type { PageContext } from '../../page-context/items.ts';
import { clip, oneLine } from '../../chat/limits.ts';
import { fill, useText } from '../../text/text.ts';
import { CloseIcon, CodeIcon, QuoteIcon } from './icons.tsx';
import { Button } from './icon-button.tsx';

interface ChipsProps {
  items: readonly PageContext[];
  /** Missing for a question that was asked. */
  onRemove?: (index: number) => void;
  /** Moves the focus on after the last chip. */
  onLeave?: () => void;
  id?: string;
}

/** The pieces of the page that a question refers to. */
export function Chips({ items, onRemove, onLeave, id }: ChipsProps) {
  const text = useText();
  const list = useRef<HTMLUListElement>(null);
  if (!items.length) return null;
  const focus = (index: number) => {
    const buttons = list.current?.querySelectorAll<HTMLElement>('.chip-remove') ?? [];
    if (index >= buttons.length) onLeave?.();
    else buttons[Math.max(index, 0)]?.focus();
  };
  const remove = (index: number) => {
    onRemove?.(index);
    // After the update, the next chip takes its place.
    queueMicrotask(() => focus(index));
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const isFromRight = (event.currentTarget as Element).matches(':dir(rtl)');
    const [next, previous] = isFromRight
      ? ['ArrowLeft', 'ArrowRight']
      : ['ArrowRight', 'ArrowLeft'];
    if (event.key === 'Delete' || event.key === 'Backspace') remove(index);
    else if (event.key === next || event.key === 'ArrowDown') focus(index + 1);
    else if (event.key === previous || event.key === 'ArrowUp') focus(index - 1);
    else return;
    event.preventDefault();
  };
  return (
    <ul class="chips" ref={list} id={id} aria-label={text.contextList}>
      {items.map((item, index) => {
        const words = clip(oneLine(item.value), 60);
        return (
          <li
            key={item.value}
            class="chip"
            data-testid="docent-chip"
            data-kind={item.type}
            title={item.value.slice(0, 600)}
          >
            {item.type === 'code' ? <CodeIcon /> : <QuoteIcon />}
            <span class="chip-words">
              <span class="unseen">{item.type === 'code' ? text.kindCode : text.kindText}: </span>
              <span class="chip-text">{words}</span>
              {item.heading && (
                <span class="chip-heading">
                  {fill(text.contextFrom, { heading: item.heading })}
                </span>
              )}
            </span>
            {onRemove && (
              <Button
                class="chip-remove"
                testId="docent-chip-remove"
                aria-label={fill(text.contextRemove, { text: words })}
                onClick={() => remove(index)}
                onKeyDown={(event) => onKeyDown(event, index)}
              >
                <CloseIcon />
              </Button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
