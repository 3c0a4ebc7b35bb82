import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Session } from '../session.ts';
import type { SiteInfo } from '../site.ts';
import { panelStrings as text } from '../strings.ts';
import { Empty } from './empty.tsx';
import { DownIcon } from './icons.tsx';
import { Answer, Question, Thinking } from './message.tsx';
import { Notice } from './notice.tsx';

/** Nearer than this to the end counts as reading the end. */
const nearPx = 40;

/** Follows the growing end, until the reader scrolls up to read. */
function useFollow(changes: unknown, questions: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const lastTop = useRef(0);
  const [isAway, setAway] = useState(false);

  const toEnd = () => {
    const node = scroller.current;
    if (!node) return;
    node.scrollTop = node.scrollHeight;
    lastTop.current = node.scrollTop;
  };
  const onScroll = () => {
    const node = scroller.current;
    if (!node) return;
    const isNear = node.scrollHeight - node.scrollTop - node.clientHeight < nearPx;
    // Content that grows also moves the end away; only a way up is the reader's doing.
    if (node.scrollTop < lastTop.current - 1 && !isNear) follows.current = false;
    else if (isNear) follows.current = true;
    lastTop.current = node.scrollTop;
    setAway(!follows.current);
  };
  const jump = () => {
    follows.current = true;
    setAway(false);
    toEnd();
  };
  // A question of one's own is always shown.
  useLayoutEffect(jump, [questions]);
  useLayoutEffect(() => {
    if (follows.current) toEnd();
  }, [changes]);
  // The composer grows, the window turns, the panel opens: the end stays in sight.
  useEffect(() => {
    const node = scroller.current;
    if (!node || typeof ResizeObserver !== 'function') return undefined;
    const observer = new ResizeObserver(() => follows.current && toEnd());
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return { scroller, onScroll, isAway, jump };
}

interface ConversationProps {
  session: Session;
  site: SiteInfo | undefined;
  onAsk: (question: string) => void;
}

export function Conversation({ session, site, onAsk }: ConversationProps) {
  const messages = session.messages.value;
  const problem = session.problem.value;
  const isBusy = session.isBusy.value;
  const last = messages.at(-1);
  const questions = messages.filter(({ role }) => role === 'user').length;
  const { scroller, onScroll, isAway, jump } = useFollow(
    `${messages.length} ${last?.text.length} ${isBusy} ${problem?.kind}`,
    questions,
  );
  const isWaiting = isBusy && last?.role === 'user';
  // A reload came between a question and its answer.
  const isUnanswered = !isBusy && !problem && last?.role === 'user';
  return (
    <div class="conversation">
      <div
        class="scroller"
        ref={scroller}
        onScroll={onScroll}
        tabIndex={0}
        role="region"
        aria-label={text.conversation}
        data-testid="docent-conversation"
      >
        {messages.length === 0 && !problem && <Empty site={site} onAsk={onAsk} />}
        {messages.map((message) =>
          message.role === 'user' ? (
            <Question key={message.id} message={message} />
          ) : (
            <Answer
              key={message.id}
              message={message}
              isStreaming={isBusy && message === last}
              onRetry={!isBusy && !problem && message === last ? session.retry : undefined}
            />
          ),
        )}
        {isWaiting && <Thinking />}
        {isUnanswered && (
          <div class="unanswered">
            <p class="muted">{text.interrupted}</p>
            <button type="button" class="button" data-testid="docent-retry" onClick={session.retry}>
              {text.retry}
            </button>
          </div>
        )}
        {problem && <Notice problem={problem} onRetry={session.retry} />}
      </div>
      {isAway && (
        <button type="button" class="jump" data-testid="docent-jump" onClick={jump}>
          <DownIcon />
          {text.jump}
        </button>
      )}
    </div>
  );
}
