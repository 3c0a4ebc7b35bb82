import { pageHeadings } from '../../page-context/page-location.ts';
import { useDeps } from '../deps.ts';
import { fill, useText } from '../../text/text.ts';
import { Questions } from './questions.tsx';

export function Empty() {
  const { site: siteNow, settings } = useDeps();
  const site = siteNow.value;
  const text = useText();
  let questions = site?.starterQuestions ?? [];
  if (site && !questions.length && settings.value.suggestions) questions = pageHeadings();
  return (
    <div class="empty" data-testid="docent-empty">
      {site ? (
        <h3 class="empty-title">
          {site.name ? fill(text.emptyTitleFor, { name: site.name }) : text.emptyTitle}
        </h3>
      ) : (
        // Wait for the name, so that the words don't change.
        <div class="empty-title" />
      )}
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
          <Questions questions={questions} kind="starter" labelledBy="docent-starters" />
        </div>
      )}
    </div>
  );
}
