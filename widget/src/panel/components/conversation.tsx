import { h, type ComponentType, type FunctionComponent, type VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { followCitation } from '../../citations/follow.ts';
import { useCard } from '../../citations/use-card.ts';
import { useDeps } from '../deps.ts';
import { useText } from '../../text/text.ts';
import { Answer as AnswerView } from './answer.tsx';
import { Empty } from './empty.tsx';
import { useReadingPosition } from './use-reading-position.ts';
import { DownIcon } from './icons.tsx';
import { Notice } from './notice.tsx';
import { Question as QuestionView } from './question.tsx';
import { Suggestions } from './questions.tsx';
import { Thinking } from './thinking.tsx';
import { Button } from './icon-button.tsx';

/**
 * Draws a component again only if a property has changed: with the same element, Preact skips it.
 * Only the last part of a conversation changes while an answer grows.
 */
function keepSame<Props extends object>(View: ComponentType<Props>): FunctionComponent<Props> {
  return function Same(props: Props) {
    const last = useRef<{ props: Props; node: VNode<Props> }>(undefined);
    const names = Object.keys(props) as (keyof Props)[];
    if (!last.current || names.some((name) => last.current?.props[name] !== props[name]))
      last.current = { props, node: h(View, props) };
    return last.current.node;
  };
}

const Answer = keepSame(AnswerView);
const Question = keepSame(QuestionView);

export function Conversation() {
  const deps = useDeps();
  const { session } = deps;
  const card = useCard(deps);
  const text = useText();
  const messages = session.outline.value;
  const problem = session.problem.value;
  const isBusy = session.isBusy.value;
  const last = messages.at(-1);
  const questions = messages.filter(({ role }) => role === 'user').length;
  const { scroller, end, onScroll, isMore, toEnd } = useReadingPosition({
    changes: `${last?.id} ${messages.length} ${isBusy} ${problem?.kind}`,
    questions,
    needsEnd: problem !== undefined,
  });
  const isWaiting = isBusy && last?.role === 'user';
  // A reload came between a question and its answer.
  const isUnanswered = !isBusy && !problem && last?.role === 'user';
  return (
    <div class="conversation" part="conversation">
      <div
        class="scroller"
        ref={scroller}
        onScroll={onScroll}
        onClick={(event) => followCitation(event, deps)}
        onAuxClick={(event) => followCitation(event, deps)}
        {...card}
        tabIndex={0}
        role="region"
        aria-label={text.conversation}
        data-testid="docent-conversation"
      >
        {messages.length === 0 && !problem && <Empty />}
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
        {!isBusy && !problem && <Suggestions questions={last?.suggestions} />}
        {isWaiting && <Thinking />}
        {isUnanswered && (
          <div class="unanswered">
            <p class="muted">{text.interrupted}</p>
            <Button testId="docent-retry" onClick={session.retry}>
              {text.retry}
            </Button>
          </div>
        )}
        {problem && <Notice problem={problem} />}
        <div ref={end} />
      </div>
      {isMore && last && (
        <Button class="jump" testId="docent-jump" onClick={toEnd}>
          <DownIcon />
          {text.jump}
        </Button>
      )}
    </div>
  );
}
