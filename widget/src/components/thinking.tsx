import { useText } from '../text/text.ts';

export function Thinking() {
  const { panel: text } = useText();
  return (
    <p class="thinking" data-testid="docent-thinking">
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {text.thinking}
    </p>
  );
}
