import { useEffect, useState } from 'preact/hooks';
import { useDeps } from '../deps.ts';
import { duration, localeOf } from '../formats.ts';
import { canSearch, needsEdit, type Problem } from '../../chat/problems.ts';
import { fill, useText } from '../../text/text.ts';
import { AlertIcon, EditIcon, RetryIcon } from './icons.tsx';
import { useLazy } from './use-lazy.ts';
import { Button } from './icon-button.tsx';

function useCountdown(until: number | undefined): number {
  const left = () => (until ? Math.max(0, Math.ceil((until - Date.now()) / 1000)) : 0);
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    setSeconds(left());
    if (!until) return undefined;
    const timer = setInterval(() => {
      setSeconds(left());
      if (left() === 0) clearInterval(timer);
    }, 1000);
    return () => clearInterval(timer);
  }, [until]);
  return seconds;
}

export function Notice({ problem }: { problem: Problem }) {
  const deps = useDeps();
  const { session, draft, context, field } = deps;
  const seconds = useCountdown(problem.retryAt);
  const text = useText();
  const messages = session.messages.value;
  const question = messages.findLast(({ role }) => role === 'user');
  // The sources of an incomplete answer are already shown.
  const hasSources = messages.at(-1)?.sources.length;
  const canFind = question && !hasSources && canSearch(problem);
  const { module: hits } = useLazy(!!canFind, () => import('./hits.tsx'));
  let sentence = text[`${problem.kind}Text`];
  if (problem.retryAt) {
    const time = duration(seconds, localeOf(deps));
    sentence = seconds ? fill(text.limitUntil, { time }) : text.limitOver;
  }
  const toField = () => {
    if (question) [draft.value, context.value] = [question.text, question.context];
    field.current?.focus();
  };
  return (
    <>
      <div class="notice" data-testid="docent-notice" data-kind={problem.kind}>
        <AlertIcon />
        <div class="notice-words">
          {/* Only this is announced: the countdown would be read out every second. */}
          <p class="notice-title" role="alert">
            {text[`${problem.kind}Title`]}
          </p>
          <p>{sentence}</p>
          {needsEdit(problem) ? (
            <Button testId="docent-change" onClick={toField}>
              <EditIcon />
              {text.editQuestion}
            </Button>
          ) : (
            <Button testId="docent-retry" disabled={seconds > 0} onClick={session.retry}>
              <RetryIcon />
              {problem.kind === 'gone' ? text.retryAnswer : text.retry}
            </Button>
          )}
        </div>
      </div>
      {hits && canFind && <hits.Hits question={question.text} />}
    </>
  );
}
