import type { Message } from '../chat/message.ts';

const isSame = (a: Message | undefined, b: Message | undefined) =>
  a === b || JSON.stringify(a) === JSON.stringify(b);

/**
 * One conversation in two tabs: what both have done since `base`, the last that they agreed on.
 * Messages that a tab added stay after the message before them. Messages that a tab removed are gone.
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
    // Removed there, and not changed here since.
    if (!other) return old && isSame(old, message) ? [] : [message];
    // The same object where nothing changed, so that nothing is drawn again.
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
