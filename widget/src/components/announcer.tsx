import { useEffect, useRef, useState } from 'preact/hooks';
import { useParts } from '../parts.ts';
import { fill, useText } from '../text/text.ts';

/** What a screen reader reads out: marks and addresses would only be noise. */
function spoken(markdown: string): string {
  return markdown
    .replace(/```[^\n]*/g, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\[\d+\]/g, '')
    .replace(/[*_`#>|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Says twice something about an answer: that it began, and what it is. Never each token. */
export function Announcer() {
  const { session } = useParts();
  const { panel: text } = useText();
  const [words, setWords] = useState('');
  const phase = useRef<'idle' | 'waiting' | 'started'>('idle');
  const isBusy = session.isBusy.value;
  const last = session.messages.value.at(-1);
  const hasText = last?.role === 'assistant' && last.text !== '';
  useEffect(() => {
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
      if (hasText) setWords(fill(text.answerDone, { text: spoken(last.text) }));
    }
  }, [isBusy, hasText]);
  return (
    <div class="unseen" role="status" data-testid="docent-announcer">
      {words}
    </div>
  );
}
