import type { SiteInfo } from '../site.ts';
import { fill, panelStrings as text } from '../strings.ts';
import { ArrowIcon } from './icons.tsx';

interface EmptyProps {
  /** `undefined` while it is on its way. */
  site: SiteInfo | undefined;
  onAsk: (question: string) => void;
}

export function Empty({ site, onAsk }: EmptyProps) {
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
                  onClick={() => onAsk(question)}
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
