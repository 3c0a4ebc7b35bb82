import { useMemo } from 'preact/hooks';
import { Markdown } from '../../markdown/markdown.tsx';
import type { Message } from '../../chat/message.ts';
import { askPerson } from '../ask-person.ts';
import { localeOf, stampOf } from '../formats.ts';
import { useDeps } from '../deps.ts';
import { useText } from '../../text/text.ts';
import { AnswerActions } from './answer-actions.tsx';
import { Button } from './icon-button.tsx';
import { DownIcon } from './icons.tsx';
import { Questions } from './questions.tsx';
import { Sources } from './sources.tsx';
import { Thinking } from './thinking.tsx';

interface AnswerProps {
  message: Message;
  isStreaming: boolean;
  /** Only for the last answer. */
  onRetry: (() => void) | undefined;
}

export function Answer({ message: given, isStreaming, onRetry }: AnswerProps) {
  const deps = useDeps();
  const { session, ask } = deps;
  // Read the growing text here, so that only this component is drawn again.
  const message =
    (isStreaming && session.messages.value.find(({ id }) => id === given.id)) || given;
  const text = useText();
  const { text: answer, sources, ended, choices } = message;
  // The same element while nothing has changed, so that Preact skips it.
  const body = useMemo(
    () => <Markdown text={answer} sources={sources} isStreaming={isStreaming} />,
    [answer, sources.length, isStreaming],
  );
  return (
    <article
      class="answer"
      part="message answer"
      data-testid="docent-answer"
      data-message={message.id}
      data-state={isStreaming ? 'streaming' : (ended ?? 'done')}
      aria-label={text.assistant}
    >
      {choices ? (
        <div class="choices">
          <p>{text.whichVersion}</p>
          <Questions questions={choices} kind="choice" />
        </div>
      ) : answer ? (
        body
      ) : isStreaming ? (
        <Thinking isDeep={message.isThinking} />
      ) : (
        <p class="muted">{text.emptyAnswer}</p>
      )}
      {answer && isStreaming && session.connection.value !== 'ok' && <Thinking />}
      {!isStreaming && (
        <>
          {ended && <p class="muted">{text[ended]}</p>}
          {onRetry && ended === 'truncated' && (
            <Button testId="docent-continue" onClick={() => ask(text.continueQuestion)}>
              <DownIcon />
              {text.continue}
            </Button>
          )}
          {onRetry &&
            deps.site.value?.handOver !== undefined &&
            (message.status ?? 'answered') !== 'answered' && (
              <Button testId="docent-ask-person" onClick={() => askPerson(deps)}>
                {text.askPerson}
              </Button>
            )}
          {/* Also without a word of an answer: what it was about to rest on may help. */}
          <Sources sources={sources} answer={answer} />
          {message.asOf && (
            <p class="muted" data-testid="docent-stamp">
              {stampOf(message, text, localeOf(deps))}
            </p>
          )}
          {!choices && <AnswerActions message={message} onRetry={onRetry} />}
        </>
      )}
    </article>
  );
}
