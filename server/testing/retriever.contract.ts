/** The contract of search engines. Each engine's test calls this with its own factory. */
import type { SearchFilter } from '@docent/shared/assistant';
import { afterEach, beforeEach, describe } from 'vitest';
import type { Page, Retriever } from '../src/retrieval/retriever.ts';
import { testSearch } from './search.contract.ts';
import { testStorage } from './storage.contract.ts';

export interface Engine {
  retriever: Retriever;
  /** Another retriever on the same data, as after a restart. The suite closes the first one. */
  reopen(): Promise<Retriever>;
  cleanUp(): Promise<void>;
}

/** The engine of the running test, with shortcuts. */
export interface Subject {
  readonly retriever: Retriever;
  /** Replaces `retriever` by another one on the same data. */
  reopen(): Promise<void>;
  add: (...pages: Page[]) => Promise<void>;
  /** Paths of the pages that are found, best first. */
  find: (text: string, filter?: SearchFilter) => Promise<string[]>;
}

export function testRetriever(name: string, createEngine: () => Promise<Engine>): void {
  describe(name, () => {
    let engine: Engine;
    let retriever: Retriever;

    beforeEach(async () => {
      engine = await createEngine();
      retriever = engine.retriever;
    });
    afterEach(async () => {
      await retriever.close();
      await engine.cleanUp();
    });

    const subject: Subject = {
      get retriever() {
        return retriever;
      },
      async reopen() {
        retriever = await engine.reopen();
      },
      add: (...pages) => retriever.apply('docs', { upsert: pages, remove: [] }),
      async find(text, filter) {
        const query = { text, pageSize: 50, ...(filter ? { filter } : {}) };
        const { pages } = await retriever.search('docs', query);
        return pages.map((page) => page.path);
      },
    };
    testSearch(subject);
    testStorage(subject);
  });
}
