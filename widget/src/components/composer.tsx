import type { Signal } from '@preact/signals';
import type { ContextItem } from '@docent/shared/assistant';
import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { Session } from '../session.ts';
import { panelStrings as text } from '../strings.ts';
import { Chips } from './chips.tsx';
import { IconButton } from './icon-button.tsx';
import { SendIcon, StopIcon } from './icons.tsx';

interface ComposerProps {
  session: Session;
  draft: Signal<string>;
  context: Signal<ContextItem[]>;
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: () => void;
}

const tallestPx = 160;

export function Composer({ session, draft, context, field, onSend }: ComposerProps) {
  const isBusy = session.isBusy.value;
  const value = draft.value;
  useLayoutEffect(() => {
    const node = field.current;
    if (!node) return;
    // Set by script, not as an attribute, so a strict style-src does not mind.
    node.style.height = 'auto';
    node.style.height = `${Math.min(node.scrollHeight, tallestPx)}px`;
  }, [value]);
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that picks a word of an input method is not Enter; 229 is how Safari says so.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229)
      return;
    event.preventDefault();
    onSend();
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    onSend();
  };
  return (
    <form class="composer" onSubmit={onSubmit}>
      <div class="field">
        <Chips
          items={context.value}
          onRemove={(index) => {
            context.value = context.value.filter((_item, at) => at !== index);
            field.current?.focus();
          }}
        />
        <div class="field-row">
          <textarea
            ref={field}
            rows={1}
            data-testid="docent-input"
            aria-label={text.inputName}
            placeholder={session.isEmpty.value ? text.placeholder : text.placeholderAgain}
            value={value}
            maxLength={8000}
            enterkeyhint="send"
            onInput={(event) => (draft.value = event.currentTarget.value)}
            onKeyDown={onKeyDown}
          />
          {isBusy ? (
            <IconButton
              key="stop"
              class="send stop"
              testId="docent-stop"
              name={text.stop}
              onClick={() => {
                session.stop();
                field.current?.focus();
              }}
            >
              <StopIcon />
            </IconButton>
          ) : (
            <IconButton
              key="send"
              type="submit"
              class="send"
              testId="docent-send"
              name={text.send}
              disabled={!value.trim()}
            >
              <SendIcon />
            </IconButton>
          )}
        </div>
      </div>
      <p class="hint">{text.hint}</p>
    </form>
  );
}
