import { useParts } from '../parts.ts';
import { useText } from '../text/text.ts';

/** That something is on its way, and what: the first words, or the connection to the rest. */
export function Thinking() {
  const { session } = useParts();
  const { panel: text } = useText();
  const line = session.line.value;
  return (
    <p class="thinking" data-testid="docent-thinking" data-line={line}>
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {line === 'ok' ? text.thinking : line === 'offline' ? text.waiting : text.reconnecting}
    </p>
  );
}
