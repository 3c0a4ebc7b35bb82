import { useMemo } from 'preact/hooks';
import { Markdown } from '../markdown/markdown.tsx';
import type { Message } from '../message.ts';
import { panelStrings as text } from '../strings.ts';
import { Chips } from './chips.tsx';
import { CopyButton } from './copy-button.tsx';
import { IconButton } from './icon-button.tsx';
import { RetryIcon } from './icons.tsx';
import { Sources } from './sources.tsx';

export function Question({ message }: { message: Message }) {
  return (
    <article class="question" data-testid="docent-question" aria-label={text.you}>
      <Chips items={message.context} />
      <p class="question-text">{message.text}</p>
    </article>
  );
}

export function Thinking() {
  return (
    <p class="thinking" data-testid="docent-thinking">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {text.thinking}
    </p>
  );
}

interface AnswerProps {
  message: Message;
  isStreaming: boolean;
  /** Given for the last answer only: an earlier one cannot be replaced. */
  onRetry: (() => void) | undefined;
}

export function Answer({ message, isStreaming, onRetry }: AnswerProps) {
  const { text: answer, sources, ended } = message;
  // The same element while nothing changed: Preact then skips everything below it.
  const body = useMemo(
    () => <Markdown text={answer} sources={sources} isStreaming={isStreaming} />,
    [answer, sources.length, isStreaming],
  );
  const state = isStreaming ? 'streaming' : (ended ?? 'done');
  return (
    <article
      class="answer"
      data-testid="docent-answer"
      data-state={state}
      aria-label={text.assistant}
    >
      {answer ? body : isStreaming ? <Thinking /> : <p class="muted">{text.emptyAnswer}</p>}
      {!isStreaming && (
        <>
          {ended && <p class="muted">{ended === 'stopped' ? text.stopped : text.interrupted}</p>}
          {answer && <Sources sources={sources} answer={answer} />}
          <div class="actions">
            {answer && <CopyButton value={answer} name={text.copyAnswer} />}
            {onRetry &&
              (ended ? (
                <button type="button" class="button" data-testid="docent-retry" onClick={onRetry}>
                  <RetryIcon />
                  {text.retry}
                </button>
              ) : (
                <IconButton
                  class="icon-button small"
                  testId="docent-retry"
                  name={text.retryAnswer}
                  onClick={onRetry}
                >
                  <RetryIcon />
                </IconButton>
              ))}
          </div>
        </>
      )}
    </article>
  );
}
