import { useText } from '../../text/text.ts';
import { useDeps } from '../deps.ts';
import { ArrowIcon } from './icons.tsx';
import { Button } from './icon-button.tsx';

interface QuestionsProps {
  questions: readonly string[];
  /** The class of each button, and its test ID after `docent-`. */
  kind: 'starter' | 'suggestion' | 'choice';
  /** The ID of the heading, if no region has that name. */
  labelledBy?: string;
}

/** Questions that one click asks. */
export function Questions({ questions, kind, labelledBy }: QuestionsProps) {
  const { ask } = useDeps();
  return (
    <ul aria-labelledby={labelledBy}>
      {questions.map((question) => (
        <li key={question}>
          <Button class={kind} testId={`docent-${kind}`} onClick={() => ask(question)}>
            <span>{question}</span>
            <ArrowIcon />
          </Button>
        </li>
      ))}
    </ul>
  );
}

/** Under the last answer. */
export function Suggestions({ questions }: { questions: readonly string[] | undefined }) {
  const { settings } = useDeps();
  const text = useText();
  if (!questions?.length || !settings.value.suggestions) return null;
  return (
    <section
      class="suggestions"
      aria-labelledby="docent-suggestions"
      data-testid="docent-suggestions"
    >
      <h3 class="label" id="docent-suggestions">
        {text.suggestions}
      </h3>
      <Questions questions={questions} kind="suggestion" />
    </section>
  );
}
