/** Uploads documents to one index in batches, and waits for all tasks at the end. */
import type { Settings } from 'meilisearch';
import type { MeilisearchClient } from './client.ts';

export interface Uploads {
  settings(settings: Settings): Promise<void>;
  add(documents: readonly object[]): Promise<void>;
  /** Removes the documents that match all of these filters. */
  remove(filter: readonly string[]): Promise<void>;
  /** Rejects with the first fault. */
  finish(): Promise<void>;
}

/** In characters; well below Meilisearch's limit, and large enough to be efficient. */
const batchLength = 8_000_000;
/** Limits the unfinished tasks, because Meilisearch's queue takes disk space. */
const maxWaitingTasks = 8;

export function createUploads(client: MeilisearchClient, index: string): Uploads {
  const tasks: number[] = [];
  let batch: string[] = [];
  let length = 0;

  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    const body = batch.join('\n');
    [batch, length] = [[], 0];
    while (tasks.length >= maxWaitingTasks) await client.finish(tasks.shift() as number);
    tasks.push(
      await client.enqueue((api) =>
        api.index(index).addDocumentsFromString(body, 'application/x-ndjson'),
      ),
    );
  }

  return {
    async settings(settings) {
      const task = await client.enqueue((api) => api.index(index).updateSettings(settings));
      await client.finish(task);
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
        await client.enqueue((api) => api.index(index).deleteDocuments({ filter: [...filter] })),
      );
    },
    async finish() {
      await flush();
      for (const task of tasks) await client.finish(task);
    },
  };
}
