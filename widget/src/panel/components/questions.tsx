import { useDeps } from '../deps.ts';
import { ArrowIcon } from './icons.tsx';

interface QuestionsProps {
  questions: readonly string[];
  /** Names each button: its class, and with `docent-` before it its test id. */
  kind: 'starter' | 'suggestion';
  /** Id of the words above the list, where nothing around it has that name. */
  labelledBy?: string;
}

/** Questions that are asked by one click. */
export function Questions({ questions, kind, labelledBy }: QuestionsProps) {
  const { ask } = useDeps();
  return (
    <ul aria-labelledby={labelledBy}>
      {questions.map((question) => (
        <li key={question}>
          <button
            type="button"
            class={kind}
            data-testid={`docent-${kind}`}
            onClick={() => ask(question)}
          >
            <span>{question}</span>
            <ArrowIcon />
          </button>
        </li>
      ))}
    </ul>
  );
}
