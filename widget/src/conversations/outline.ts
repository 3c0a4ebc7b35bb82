import { computed, type ReadonlySignal } from '@preact/signals';
import type { Message } from '../chat/message.ts';

function isSame(one: Message | undefined, other: Message | undefined): boolean {
  return (
    one?.id === other?.id &&
    one?.ended === other?.ended &&
    one?.feedback === other?.feedback &&
    one?.sources.length === other?.sources.length &&
    one?.suggestions?.length === other?.suggestions?.length &&
    (one?.text === '') === (other?.text === '')
  );
}

/** The messages, but the same list while only the text of the last answer grows. */
export function createOutline(
  messages: ReadonlySignal<Message[]>,
  isBusy: ReadonlySignal<boolean>,
): ReadonlySignal<Message[]> {
  let kept: Message[] = [];
  return computed(() => {
    const next = messages.value;
    const end = next.length - 1;
    const isGrowing =
      isBusy.value &&
      next.length === kept.length &&
      next[end]?.role === 'assistant' &&
      next.every((message, index) => message === kept[index] || index === end) &&
      isSame(next[end], kept[end]);
    return isGrowing ? kept : (kept = next);
  });
}
