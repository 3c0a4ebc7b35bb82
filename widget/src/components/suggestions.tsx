import { useParts } from '../parts.ts';
import { useText } from '../text/text.ts';
import { ArrowIcon } from './icons.tsx';

/** Questions to go on with, which the service found to be answered; one click asks. */
export function Suggestions({ questions }: { questions: readonly string[] | undefined }) {
  const { settings, ask } = useParts();
  const { panel: text } = useText();
  if (!questions?.length || settings.value.offersSuggestions === false) return null;
  return (
    <section
      class="suggestions"
      aria-labelledby="docent-suggestions"
      data-testid="docent-suggestions"
    >
      <h3 class="label" id="docent-suggestions">
        {text.suggestions}
      </h3>
      <ul>
        {questions.map((question) => (
          <li key={question}>
            <button
              type="button"
              class="suggestion"
              data-testid="docent-suggestion"
              onClick={() => ask(question)}
            >
              <span>{question}</span>
              <ArrowIcon />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
