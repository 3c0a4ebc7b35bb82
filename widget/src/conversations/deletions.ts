/**
 * Conversations that were deleted here are deleted at the service too. Where it cannot be reached, it
 * is told later: when the panel is there again, or the network is.
 */
import { signal } from '@preact/signals';
import type { Service } from '../chat/service.ts';
import type { Storage } from './storage.ts';

export type Deletions = ReturnType<typeof createDeletions>;

/** Begins the id of a conversation that the service did not keep. */
const unstored = 'unstored_';

export function createDeletions(
  service: Service,
  storage: Pick<Storage, 'unsent' | 'markSent' | 'fp'>,
  gone: AbortSignal,
) {
  /** How many the service couldn't be told of. */
  const failed = signal(0);

  async function sendOne(threadId: string, fp: string): Promise<boolean> {
    if (threadId.startsWith(unstored)) return true;
    try {
      const { status } = await service.call('/discovery/v1/thread', {
        method: 'DELETE',
        headers: { 'x-fp': fp },
        // Also when the reader deletes and leaves.
        keepalive: true,
        below: [threadId],
      });
      // 404: deleted before, or long ago by the rules of the site.
      return status === 204 || status === 404;
    } catch {
      return false;
    }
  }

  /** Tells the service. From then on, an undo restores only what this browser has. */
  const send = async () => {
    const fp = storage.fp();
    const unsent = storage.unsent().flatMap(({ threadId }) => threadId ?? []);
    const told = await Promise.all(
      unsent.map(async (threadId) => {
        const isGone = fp === undefined || (await sendOne(threadId, fp));
        if (isGone) storage.markSent(threadId);
        return isGone;
      }),
    );
    failed.value = told.filter((isGone) => !isGone).length;
  };
  addEventListener('online', () => void (failed.peek() && send()), { signal: gone });
  addEventListener('pagehide', () => void send(), { signal: gone });
  if (storage.unsent().length) void send();

  return { failed, send };
}
