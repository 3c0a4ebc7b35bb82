import type { Session } from '../session.ts';
import type { SiteInfo } from '../site.ts';
import { panelStrings as text } from '../strings.ts';
import { Empty } from './empty.tsx';
import { useFollow } from './follow.ts';
import { DownIcon } from './icons.tsx';
import { Answer, Question, Thinking } from './message.tsx';
import { Notice } from './notice.tsx';

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
  const { scroller, onScroll, isMore, toEnd } = useFollow({
    changes: `${messages.length} ${last?.text.length} ${isBusy} ${problem?.kind}`,
    questions,
    needsEnd: problem !== undefined,
  });
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
      {isMore && (
        <button type="button" class="jump" data-testid="docent-jump" onClick={toEnd}>
          <DownIcon />
          {text.jump}
        </button>
      )}
    </div>
  );
}
