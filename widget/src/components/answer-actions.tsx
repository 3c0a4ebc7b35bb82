import type { Message } from '../message.ts';
import { useText } from '../text/text.ts';
import { CopyButton } from './copy-button.tsx';
import { IconButton } from './icon-button.tsx';
import { RetryIcon } from './icons.tsx';

interface AnswerActionsProps {
  message: Message;
  /** Given for the last answer only: an earlier one cannot be replaced. */
  onRetry: (() => void) | undefined;
}

/** What can be done with a whole answer. */
export function AnswerActions({ message, onRetry }: AnswerActionsProps) {
  const { panel: text } = useText();
  return (
    <div class="actions">
      {message.text && <CopyButton value={message.text} name={text.copyAnswer} />}
      {onRetry &&
        (message.ended ? (
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
  );
}
