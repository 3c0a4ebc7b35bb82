/** Tells the service about deleted conversations. If it can't be reached, tries again later. */
import { signal } from '@preact/signals';
import type { Service } from '../chat/service.ts';
import type { Storage } from './storage.ts';

export type Deletions = ReturnType<typeof createDeletions>;

/** The prefix of a thread that the service didn't store. */
const unstored = 'unstored_';

export function createDeletions(
  service: Service,
  storage: Pick<Storage, 'unsent' | 'markSent' | 'fp'>,
  gone: AbortSignal,
) {
  /** How many deletions the service doesn't know about. */
  const failed = signal(0);

  async function sendOne(threadId: string, fp: string): Promise<boolean> {
    if (threadId.startsWith(unstored)) return true;
    try {
      const { status } = await service.call('/discovery/v1/thread', {
        method: 'DELETE',
        headers: { 'x-fp': fp },
        // The reader may leave at once.
        keepalive: true,
        below: [threadId],
      });
      // 404: the service has already deleted it.
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
