import { useEffect, useRef, useState } from 'preact/hooks';
import { useParts } from '../parts.ts';
import { spoken } from '../spoken.ts';
import { fill, useText } from '../text/text.ts';

/**
 * What a screen reader is told. Of an answer: that it began, and what it is, never each token; what
 * went wrong is an alert of its own (notice.tsx), so here it is silent. Beside it a second region for
 * what the reader's own deeds led to, so that neither cuts the other off.
 */
export function Announcer() {
  const { session, announcement } = useParts();
  const { panel: text } = useText();
  const [words, setWords] = useState('');
  const phase = useRef<'idle' | 'waiting' | 'started'>('idle');
  const shown = useRef('');
  const id = session.id.value;
  const isBusy = session.isBusy.value;
  const hasProblem = session.problem.value !== undefined;
  const last = session.messages.value.at(-1);
  const hasText = last?.role === 'assistant' && last.text !== '';
  useEffect(() => {
    if (shown.current !== id) {
      // Another conversation: what is in it was said when it came.
      shown.current = id;
      phase.current = isBusy ? 'waiting' : 'idle';
      setWords('');
      return;
    }
    if (isBusy && phase.current === 'idle') {
      phase.current = 'waiting';
      setWords('');
    }
    if (isBusy && hasText && phase.current === 'waiting') {
      phase.current = 'started';
      setWords(text.answerStarted);
    }
    if (!isBusy && phase.current !== 'idle') {
      phase.current = 'idle';
      setWords(hasProblem || last?.role !== 'assistant' ? '' : toWords());
    }
    function toWords(): string {
      if (last?.ended === 'stopped') return text.stopped;
      if (!hasText) return text.emptyAnswer;
      const { spokenCode: code, table, spokenMore: more } = text;
      return fill(text.answerDone, { text: spoken(last.text, { code, table, more }) });
    }
  }, [id, isBusy, hasText, hasProblem]);
  return (
    <>
      <div class="unseen" role="status" data-testid="docent-announcer">
        {words}
      </div>
      <div class="unseen" role="status" data-testid="docent-announcement">
        {announcement.value}
      </div>
    </>
  );
}
