import { useDeps } from '../deps.ts';
import { useText } from '../../text/text.ts';
import { Questions } from './questions.tsx';

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
