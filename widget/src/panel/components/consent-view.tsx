import { useDeps } from '../deps.ts';
import { useText } from '../../text/text.ts';

export function ConsentView() {
  const { consent, settings, field } = useDeps();
  const text = useText();
  const link = settings.value.consentLink;
  return (
    <div class="empty ask-first" data-testid="docent-consent">
      <h3 class="empty-title">{text.consentTitle}</h3>
      <p class="empty-text">{text.consentText}</p>
      {link && (
        <p class="empty-text">
          <a href={link} target="_blank" rel="noopener">
            {text.consentLink}
          </a>
        </p>
      )}
      <p class="ask-first-buttons">
        <button
          type="button"
          class="button primary"
          data-testid="docent-consent-accept"
          // The field, which usually has the focus, isn't there yet.
          ref={(node) => node?.focus({ preventScroll: true })}
          onClick={() => {
            consent.set(true);
            queueMicrotask(() => field.current?.focus());
          }}
        >
          {text.consentAccept}
        </button>
      </p>
    </div>
  );
}
