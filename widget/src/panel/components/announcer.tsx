import { useEffect, useRef, useState } from 'preact/hooks';
import { useDeps } from '../deps.ts';
import { spoken } from '../spoken.ts';
import { fill, useText } from '../../text/text.ts';

const settledMs = 100;

/**
 * Tells screen readers that an answer has begun, and then the whole answer. Errors are alerts of
 * their own. A second region is for the reader's own actions, so that neither interrupts the other.
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
  // Before an answer streams, the last answer may be the one that it replaces.
  const hasText =
    session.state.value.name === 'streaming' && last?.role === 'assistant' && last.text !== '';
  useEffect(() => () => clearTimeout(ending.current), []);
  useEffect(() => {
    if (isBusy || shown.current !== id) clearTimeout(ending.current);
    if (shown.current !== id) {
      // Another conversation: its messages were announced when they arrived.
      shown.current = id;
      phase.current = isBusy ? 'waiting' : 'idle';
      setWords('');
      return;
    }
    // An edited question is asked while its first answer is still being announced.
    if (isBusy && !hasText && phase.current !== 'waiting') {
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
    const { choices } = answer;
    const words = choices ? `${text.whichVersion} ${choices.join(', ')}` : answer.text;
    const done = fill(text.answerDone, { text: spoken(words, { code, table, more }) });
    return answer.ended ? `${done} ${text[answer.ended]}` : done;
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
