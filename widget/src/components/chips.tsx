import type { ContextItem } from '@docent/shared/assistant';
import { fill, useText } from '../text/text.ts';
import { CloseIcon, CodeIcon, QuoteIcon } from './icons.tsx';

interface ChipsProps {
  items: readonly ContextItem[];
  /** Missing where they only show what a question was about. */
  onRemove?: (index: number) => void;
}

function firstWords(value: string): string {
  const line = value.trim().replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

export function Chips({ items, onRemove }: ChipsProps) {
  const { panel: text } = useText();
  if (!items.length) return null;
  return (
    <ul class="chips" aria-label={text.chips}>
      {items.map((item, index) => {
        const words = firstWords(item.value);
        return (
          <li
            key={`${index}${words}`}
            class="chip"
            data-testid="docent-chip"
            title={item.value.slice(0, 600)}
          >
            {item.type === 'code' ? <CodeIcon /> : <QuoteIcon />}
            <span class="chip-text">{words}</span>
            {onRemove && (
              <button
                type="button"
                class="chip-remove"
                aria-label={fill(text.chipRemove, { text: words })}
                onClick={() => onRemove(index)}
              >
                <CloseIcon />
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
