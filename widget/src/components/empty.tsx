import { useParts } from '../parts.ts';
import { fill, useText } from '../text/text.ts';
import { ArrowIcon } from './icons.tsx';

export function Empty() {
  const { ask, site: siteNow } = useParts();
  // `undefined` while it is on its way.
  const site = siteNow.value;
  const { panel: text } = useText();
  const questions = site?.starterQuestions ?? [];
  return (
    <div class="empty" data-testid="docent-empty">
      <h3 class="empty-title">
        {site?.name ? fill(text.emptyTitleFor, { name: site.name }) : text.emptyTitle}
      </h3>
      <p class="empty-text">{text.emptyText}</p>
      {!site && (
        <div class="skeletons" aria-hidden="true">
          <i />
          <i />
          <i />
        </div>
      )}
      {questions.length > 0 && (
        <div class="starters">
          <p class="label" id="docent-starters">
            {text.starters}
          </p>
          <ul aria-labelledby="docent-starters">
            {questions.map((question) => (
              <li key={question}>
                <button
                  type="button"
                  class="starter"
                  data-testid="docent-starter"
                  onClick={() => ask(question)}
                >
                  <span>{question}</span>
                  <ArrowIcon />
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
