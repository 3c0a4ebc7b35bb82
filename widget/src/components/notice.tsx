import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../problems.ts';
import { fill, useText, type Text } from '../text/text.ts';
import { AlertIcon, RetryIcon } from './icons.tsx';

function duration(seconds: number, text: Text['problems']): string {
  if (seconds < 100) return fill(text.seconds, { count: seconds });
  if (seconds < 6000) return fill(text.minutes, { count: Math.ceil(seconds / 60) });
  return fill(text.hours, { count: Math.ceil(seconds / 3600) });
}

/** Seconds until then, counting down. */
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

interface NoticeProps {
  problem: Problem;
  onRetry: () => void;
}

export function Notice({ problem, onRetry }: NoticeProps) {
  const seconds = useCountdown(problem.retryAt);
  const { panel, problems: text } = useText();
  let sentence = text[`${problem.kind}Text`];
  if (problem.retryAt) {
    sentence = seconds ? fill(text.limitUntil, { time: duration(seconds, text) }) : text.limitOver;
  }
  return (
    <div class="notice" data-testid="docent-notice" data-kind={problem.kind}>
      <AlertIcon />
      <div class="notice-words">
        {/* Only this is announced: the countdown would be read out every second. */}
        <p class="notice-title" role="alert">
          {text[`${problem.kind}Title`]}
        </p>
        <p>{sentence}</p>
        {problem.canRetry && (
          <button
            type="button"
            class="button"
            data-testid="docent-retry"
            disabled={seconds > 0}
            onClick={onRetry}
          >
            <RetryIcon />
            {panel.retry}
          </button>
        )}
      </div>
    </div>
  );
}
