import { useEffect, useRef, useState } from 'preact/hooks';
import { useDeps } from '../deps.ts';
import { spoken } from '../spoken.ts';
import { fill, useText } from '../../text/text.ts';

const settledMs = 100;

/**
 * What a screen reader is told. Of an answer: that it began, and what it is, never each token; what
 * went wrong is an alert of its own (notice.tsx), so here it is silent. Beside it a second region for
 * what the reader's own deeds led to, so that neither cuts the other off.
 */
export function Announcer() {
  const { session, announcement } = useDeps();
  const text = useText();
  const [words, setWords] = useState('');
  const phase = useRef<'idle' | 'waiting' | 'started'>('idle');
  const shown = useRef('');
  const ending = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const id = session.id.value;
  const isBusy = session.isBusy.value;
  const last = session.outline.value.at(-1);
  // Before an answer streams, the last one may be what it takes the place of.
  const hasText =
    session.state.value.name === 'streaming' && last?.role === 'assistant' && last.text !== '';
  useEffect(() => () => clearTimeout(ending.current), []);
  useEffect(() => {
    if (isBusy || shown.current !== id) clearTimeout(ending.current);
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
      // Whether it was stopped or failed is known a moment later.
      ending.current = setTimeout(() => setWords(toWords()), settledMs);
    }
  }, [id, isBusy, hasText]);
  const toWords = (): string => {
    const answer = session.messages.peek().at(-1);
    if (session.problem.peek() || answer?.role !== 'assistant') return '';
    if (answer.ended === 'stopped') return text.stopped;
    if (!answer.text) return text.emptyAnswer;
    const { spokenCode: code, table, spokenMore: more } = text;
    return fill(text.answerDone, { text: spoken(answer.text, { code, table, more }) });
  };
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
