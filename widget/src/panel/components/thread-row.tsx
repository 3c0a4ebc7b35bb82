import { useRef, useState } from 'preact/hooks';
import { localeOf, relativeTime } from '../formats.ts';
import { useDeps } from '../deps.ts';
import type { Summary } from '../../conversations/saved.ts';
import { fill, useText } from '../../text/text.ts';
import { Button, IconButton } from './icon-button.tsx';
import { DeleteIcon, EditIcon } from './icons.tsx';

interface ThreadRowProps {
  row: Summary;
  onOpen: () => void;
  onRemove: () => void;
}

export function ThreadRow({ row, onOpen, onRemove }: ThreadRowProps) {
  const deps = useDeps();
  const { session } = deps;
  const text = useText();
  const [isNaming, setNaming] = useState(false);
  const { id, title, updatedAt } = row;
  const isShown = session.id.value === id;
  const isAnswering = session.answering.value.has(id);
  const locale = localeOf(deps);

  if (isNaming) {
    return (
      <li class="thread naming">
        <NameField
          title={title}
          onEnd={(name, item) => {
            setNaming(false);
            if (name !== undefined) session.rename(id, name);
            // After the row is drawn.
            queueMicrotask(() => item?.querySelector<HTMLElement>('.thread-open')?.focus());
          }}
        />
      </li>
    );
  }
  return (
    <li class="thread" data-testid="docent-thread">
      <Button
        class="thread-open"
        testId="docent-thread-open"
        aria-current={isShown ? 'true' : undefined}
        onClick={onOpen}
        onKeyDown={(event) => {
          // As in the file lists of desktops.
          if (event.key === 'F2') setNaming(true);
          else if (event.key === 'Delete') onRemove();
          else return;
          event.preventDefault();
        }}
      >
        <span class="thread-title">{title}</span>
        <span class="thread-when">
          {isAnswering ? (
            <span class="thread-answering">{text.answering}</span>
          ) : (
            <time
              dateTime={new Date(updatedAt).toISOString()}
              title={new Date(updatedAt).toLocaleString(locale)}
            >
              {relativeTime(updatedAt, Date.now(), locale)}
            </time>
          )}
        </span>
      </Button>
      <span class="thread-actions">
        <IconButton
          class="icon-button small"
          testId="docent-thread-rename"
          name={fill(text.rename, { title })}
          onClick={() => setNaming(true)}
          icon={EditIcon}
        />
        <IconButton
          class="icon-button small"
          testId="docent-thread-delete"
          name={fill(text.delete, { title })}
          onClick={onRemove}
          icon={DeleteIcon}
        />
      </span>
    </li>
  );
}

const selectAll = (field: HTMLInputElement | null) => {
  field?.focus();
  field?.select();
};

interface NameFieldProps {
  title: string;
  /** Without a name, the title stays. */
  onEnd: (name: string | undefined, item: HTMLElement | null) => void;
}

function NameField({ title, onEnd }: NameFieldProps) {
  const text = useText();
  const isOver = useRef(false);
  const end = (name: string | undefined, item: HTMLElement | null) => {
    // When the field disappears it loses the focus, which would save what Escape rejected.
    if (isOver.current) return;
    isOver.current = true;
    onEnd(name, item);
  };
  return (
    <input
      class="thread-name"
      data-testid="docent-thread-name"
      aria-label={text.threadName}
      defaultValue={title}
      maxLength={200}
      enterkeyhint="done"
      ref={selectAll}
      onBlur={({ currentTarget }) => end(currentTarget.value, null)}
      onKeyDown={(event) => {
        const field = event.currentTarget;
        if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        event.preventDefault();
        // Escape ends the renaming and doesn't close the panel.
        event.stopPropagation();
        end(event.key === 'Enter' ? field.value : undefined, field.closest('li'));
      }}
    />
  );
}
