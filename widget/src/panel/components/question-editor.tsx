/** Edits a question in its place. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Message } from '../../chat/message.ts';
import { useDeps } from '../deps.ts';
import css from '../../styles/question-editor.css?inline';
import { useText } from '../../text/text.ts';
import { Chips } from './chips.tsx';
import { isComposing, useGrowingHeight } from './use-growing-height.ts';
import { useStyles } from './use-styles.ts';
import { Button } from './icon-button.tsx';

export function QuestionEditor({ message }: { message: Message }) {
  const { session, editing, field: composer } = useDeps();
  const text = useText();
  const form = useRef<HTMLFormElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const [words, setWords] = useState(message.text);
  const [context, setContext] = useState(message.context);
  useStyles(form, css);

  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(words.length, words.length);
  }, []);
  useGrowingHeight(field, words, 240);

  const leave = () => {
    editing.value = undefined;
    composer.current?.focus();
  };
  const isReady = words.trim() !== '';
  const send = (event: Event) => {
    event.preventDefault();
    if (!isReady) return;
    session.edit(message.id, words.trim(), context);
    leave();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'Escape') {
      event.preventDefault();
      // Escape ends the editing and doesn't close the panel.
      event.stopPropagation();
      leave();
    } else if (event.key === 'Enter' && !event.shiftKey && event.target === field.current) {
      send(event);
    }
  };
  return (
    <form
      class="editor"
      ref={form}
      data-testid="docent-editor"
      onSubmit={send}
      onKeyDown={onKeyDown}
    >
      <Chips
        items={context}
        onRemove={(index) => setContext(context.filter((_item, at) => at !== index))}
        onLeave={() => field.current?.focus()}
      />
      <textarea
        ref={field}
        rows={1}
        data-testid="docent-editor-field"
        aria-label={text.editField}
        aria-describedby="docent-editor-note"
        value={words}
        maxLength={8000}
        enterkeyhint="send"
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <div class="editor-row">
        <p class="muted" id="docent-editor-note">
          {text.editNote}
        </p>
        <Button testId="docent-editor-cancel" onClick={leave}>
          {text.cancel}
        </Button>
        <Button
          type="submit"
          class="button primary"
          testId="docent-editor-send"
          disabled={!isReady}
        >
          {text.editSend}
        </Button>
      </div>
    </form>
  );
}
