import type { Message } from '../message.ts';
import { useText } from '../text/text.ts';
import { Chips } from './chips.tsx';

export function Question({ message }: { message: Message }) {
  const { panel: text } = useText();
  return (
    <article
      class="question"
      part="message question"
      data-testid="docent-question"
      aria-label={text.you}
    >
      <Chips items={message.context} />
      <p class="question-text">{message.text}</p>
    </article>
  );
}
