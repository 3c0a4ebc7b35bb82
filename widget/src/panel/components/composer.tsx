import { useDeps } from '../deps.ts';
import { useText } from '../../text/text.ts';
import { IconButton } from './icon-button.tsx';
import { SendIcon, StopIcon } from './icons.tsx';
import { contextId, QuestionContext } from './question-context.tsx';
import { isComposing, useGrowingHeight } from './use-growing-height.ts';

export function Composer() {
  const { session, draft, context, field, editing, ask } = useDeps();
  const text = useText();
  const isBusy = session.isBusy.value;
  const value = draft.value;
  useGrowingHeight(field, value, 160);
  const send = (event: Event) => {
    event.preventDefault();
    ask(draft.value);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Backspace' && !draft.value) {
      // To the last chip, which another Backspace removes.
      const root = field.current?.getRootNode() as ShadowRoot | undefined;
      [...(root?.querySelectorAll<HTMLElement>('.chip-remove') ?? [])].at(-1)?.focus();
    }
    if (event.key === 'ArrowUp' && !draft.value) {
      // As in a shell: edit the last question.
      const last = session.messages.value.findLast(({ role }) => role === 'user');
      if (!last) return;
      event.preventDefault();
      editing.value = last.id;
    }
    if (event.key === 'Enter' && !event.shiftKey && !isComposing(event)) send(event);
  };
  return (
    <form class="composer" part="composer" onSubmit={send}>
      <div class="field">
        <QuestionContext />
        <div class="field-row">
          <textarea
            part="input"
            ref={field}
            rows={1}
            data-testid="docent-input"
            aria-label={text.inputName}
            aria-describedby={context.value.length ? contextId : undefined}
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
              part="send"
              testId="docent-stop"
              name={text.stop}
              icon={StopIcon}
              onClick={() => {
                session.stop();
                field.current?.focus();
              }}
            />
          ) : (
            <IconButton
              key="send"
              type="submit"
              class="send"
              part="send"
              testId="docent-send"
              name={text.send}
              disabled={!value.trim()}
              icon={SendIcon}
            />
          )}
        </div>
      </div>
      <p class="hint">{text.hint}</p>
    </form>
  );
}
