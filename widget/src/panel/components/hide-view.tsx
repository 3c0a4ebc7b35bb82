import { useDeps } from '../deps.ts';
import { showShortcut } from '../../loader/shortcut.ts';
import { fill, useText } from '../../text/text.ts';
import { Button } from './icon-button.tsx';

export function HideView() {
  const { settings, view, hide, toConversation } = useDeps();
  const text = useText();
  const { shortcut } = settings.value;
  return (
    <div class="empty ask-first" data-testid="docent-hide">
      <h3 class="empty-title">{text.hideTitle}</h3>
      <p class="empty-text">
        {text.hideText} {shortcut && fill(text.hideShortcut, { shortcut: showShortcut(shortcut) })}
      </p>
      <p class="ask-first-buttons">
        <button
          type="button"
          class="button"
          data-testid="docent-hide-confirm"
          ref={(node) => node?.focus({ preventScroll: true })}
          onClick={() => {
            view.value = 'conversation';
            hide?.();
          }}
        >
          {text.hideConfirm}
        </button>
        <Button testId="docent-hide-cancel" onClick={toConversation}>
          {text.cancel}
        </Button>
      </p>
    </div>
  );
}
