import { useDeps } from '../deps.ts';
import { useText } from '../../text/text.ts';

export function Thinking({ isDeep = false }: { isDeep?: boolean | undefined }) {
  const { session } = useDeps();
  const text = useText();
  const connection = session.connection.value;
  return (
    <p class="thinking" data-testid="docent-thinking" data-connection={connection}>
      <span class="dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {connection === 'ok'
        ? isDeep
          ? text.reasoning
          : text.thinking
        : connection === 'offline'
          ? text.waiting
          : text.reconnecting}
    </p>
  );
}
