/**
 * Search with an embedder, which costs money and counts against the same budgets as answers. If a budget is
 * used up, only the words of the question are searched, so that nobody is refused.
 */
import { DocentError } from '../../platform/errors.ts';
import type { Retriever, SearchQuery, SearchResult } from '../../retrieval/retriever.ts';
import type { Payer } from '../../budgets/accounts.ts';
import { estimateTokens } from '../../budgets/cost.ts';
import type { Reservation, Spend } from '../../budgets/spend.ts';

/** Who pays for the search of this site. */
export interface SearchPayer extends Payer {
  domain: string;
}

export type PaidSearch = ReturnType<typeof createPaidSearch>;

export function createPaidSearch({
  retriever,
  spend,
  hasEmbedder,
}: {
  retriever: Pick<Retriever, 'search'>;
  spend: Pick<Spend, 'reserve' | 'settle'>;
  hasEmbedder: boolean;
}) {
  /** `undefined` if a budget is used up. */
  async function open(payer: SearchPayer, query: SearchQuery) {
    const expected = { inputTokens: tokensOf(query), outputTokens: 0 };
    try {
      return await spend.reserve({ ...payer, model: undefined, isEmbedding: true, expected });
    } catch (error) {
      if (error instanceof DocentError && error.code === 'budget_exceeded') return undefined;
      throw error;
    }
  }

  return {
    /** A search without an answer, or for an answer of the built-in model, which costs nothing else. */
    async search(
      payer: SearchPayer,
      query: SearchQuery,
      signal?: AbortSignal,
    ): Promise<SearchResult> {
      if (!hasEmbedder) return retriever.search(payer.domain, query, signal);
      const reservation = await open(payer, query);
      if (!reservation) return retriever.search(payer.domain, { ...query, only: 'words' }, signal);
      try {
        return await this.searchOn(reservation, payer.domain, query, signal);
      } finally {
        await spend.settle(reservation);
      }
    },

    /** The search for an answer that already has a reservation. */
    searchOn: (
      reservation: Reservation,
      domain: string,
      query: SearchQuery,
      signal?: AbortSignal,
    ): Promise<SearchResult> =>
      retriever.search(
        domain,
        { ...query, onEmbedded: (tokens) => reservation.addEmbedded(tokens ?? tokensOf(query)) },
        signal,
      ),
  };
}

function tokensOf({ text, before = [] }: SearchQuery): number {
  return estimateTokens([text, ...before].join('\n'));
}
