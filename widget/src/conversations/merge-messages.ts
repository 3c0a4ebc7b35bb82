import type { Message } from '../chat/message.ts';

const isSame = (a: Message | undefined, b: Message | undefined) =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

/**
 * Merges what two tabs did since `base`, their last common state. Added messages stay after the
 * message before them. Removed messages are gone.
 */
export function mergeMessages(
  base: readonly Message[],
  mine: readonly Message[],
  theirs: readonly Message[],
): Message[] {
  const byId = (list: readonly Message[]) => new Map(list.map((each) => [each.id, each]));
  const [before, ours, others] = [byId(base), byId(mine), byId(theirs)];
  const merged = mine.flatMap((message) => {
    const other = others.get(message.id);
    const old = before.get(message.id);
    // Removed there, and unchanged here.
    if (!other) return old && isSame(old, message) ? [] : [message];
    // Keep unchanged objects, so that nothing is drawn again.
    return [!isSame(message, other) && isSame(old, message) ? other : message];
  });
  let at = -1;
  for (const message of theirs) {
    const found = merged.findIndex(({ id }) => id === message.id);
    if (found >= 0) at = found;
    else if (!before.has(message.id) && !ours.has(message.id)) merged.splice(++at, 0, message);
  }
  return merged;
}
