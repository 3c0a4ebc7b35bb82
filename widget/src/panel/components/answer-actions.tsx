import { useState } from 'preact/hooks';
import type { Message } from '../../chat/message.ts';
import { useDeps } from '../deps.ts';
import { useText } from '../../text/text.ts';
import { useFeedback } from '../use-feedback.ts';
import { CopyButton } from './copy-button.tsx';
import { Button, IconButton } from './icon-button.tsx';
import { RetryIcon, ThumbDownIcon, ThumbUpIcon } from './icons.tsx';
import { useLazy } from './use-lazy.ts';

interface AnswerActionsProps {
  message: Message;
  /** Only for the last answer. */
  onRetry: (() => void) | undefined;
}

export function AnswerActions({ message, onRetry }: AnswerActionsProps) {
  const { settings, emit, announce } = useDeps();
  const text = useText();
  const feedback = useFeedback(message);
  const [isFormOpen, setFormOpen] = useState(false);
  const { module: form } = useLazy(isFormOpen, () => import('./feedback-form.tsx'));
  const rating = message.feedback?.rating;
  const rate = (next: 'up' | 'down') => {
    if (next === rating) return takeBack();
    feedback.rate(next);
    setFormOpen(true);
  };
  const takeBack = () => {
    feedback.takeBack();
    setFormOpen(false);
  };
  /** A second press takes the rating back. */
  const thumb = (which: 'up' | 'down') => (
    <IconButton
      key={which}
      class="icon-button small thumb"
      testId={`docent-thumb-${which}`}
      name={text[which]}
      hasWords
      aria-pressed={rating === which}
      icon={which === 'up' ? ThumbUpIcon : ThumbDownIcon}
      onClick={() => {
        rate(which);
        announce(rating === which ? text.takenBack : text.thanks);
      }}
    />
  );
  return (
    <>
      <div class="actions">
        {message.text && (
          <CopyButton
            value={async () =>
              (await import('../../export/markdown.ts')).answerToMarkdown(message, text)
            }
            name={text.copyAnswer}
            hasWords
            onCopied={() => emit('copy', { what: 'answer' })}
          />
        )}
        {onRetry &&
          (message.ended && message.ended !== 'truncated' ? (
            <Button testId="docent-retry" onClick={onRetry}>
              <RetryIcon />
              {text.retry}
            </Button>
          ) : (
            <IconButton
              class="icon-button small"
              testId="docent-retry"
              name={text.retryAnswer}
              hasWords
              onClick={onRetry}
              icon={RetryIcon}
            />
          ))}
        {message.text && settings.value.feedback && [thumb('up'), thumb('down')]}
      </div>
      {form && isFormOpen && rating && (
        <form.FeedbackForm
          key={rating}
          message={message}
          rating={rating}
          onSend={feedback.explain}
          onTakeBack={takeBack}
        />
      )}
    </>
  );
}
