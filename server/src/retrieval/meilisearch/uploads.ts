/** Hands documents to one index in batches, and waits for all of them at the end. */
import type { Wire } from './wire.ts';

export interface Uploads {
  settings(settings: object): Promise<void>;
  add(documents: readonly object[]): Promise<void>;
  /** Removes the documents for which all of these hold. */
  remove(filter: readonly string[]): Promise<void>;
  /** Rejects with the first fault. */
  finish(): Promise<void>;
}

/** In characters: well below what Meilisearch takes at once, and enough for it to work in one go. */
const batchLength = 8_000_000;
/** How far ahead of Meilisearch's work we hand over: its queue is on its disk. */
const mostWaiting = 8;

export function createUploads(wire: Wire, index: string): Uploads {
  const tasks: number[] = [];
  let batch: string[] = [];
  let length = 0;

  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    const body = batch.join('\n');
    [batch, length] = [[], 0];
    while (tasks.length >= mostWaiting) await wire.finish(tasks.shift() as number);
    tasks.push(
      await wire.enqueue(`/indexes/${index}/documents`, {
        method: 'POST',
        lines: body,
      }),
    );
  }

  return {
    async settings(settings) {
      const task = await wire.enqueue(`/indexes/${index}/settings`, {
        method: 'PATCH',
        body: settings,
      });
      await wire.finish(task);
    },
    async add(documents) {
      for (const document of documents) {
        const line = JSON.stringify(document);
        batch.push(line);
        length += line.length;
      }
      if (length >= batchLength) await flush();
    },
    async remove(filter) {
      await flush();
      tasks.push(
        await wire.enqueue(`/indexes/${index}/documents/delete`, {
          method: 'POST',
          body: { filter },
        }),
      );
    },
    async finish() {
      await flush();
      for (const task of tasks) await wire.finish(task);
    },
  };
}
