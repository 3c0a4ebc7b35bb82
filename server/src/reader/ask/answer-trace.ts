/** The spans of one answer; names of attributes are OpenTelemetry's for generative AI where it has them. */
import { DocentError } from '../../platform/errors.ts';
import { isExtractive, type Model } from '../../platform/models/model.ts';
import type { SearchResult } from '../../retrieval/retriever.ts';
import { noTracing, type Span, type Tracing } from '../../platform/telemetry/tracing.ts';
import type { EndedTurn } from '../conversations/threads.ts';

export function traceAnswer(tracing: Tracing = noTracing, domain: string, model: Model) {
  const span = tracing.start('answer', { 'docent.site': domain });
  let asking: Span | undefined;

  return {
    /** The search, as a span of its own. */
    async search(search: () => Promise<SearchResult>): Promise<SearchResult> {
      const searching = span.child(`retrieval ${domain}`, {
        'gen_ai.operation.name': 'retrieval',
        'gen_ai.data_source.id': domain,
      });
      try {
        const found = await search();
        searching.set({
          'docent.search.pages': found.pages.length,
          'docent.search.coverage': found.coverage,
          'docent.search.is_fallback': found.isFallback === true,
        });
        return found;
      } catch (error) {
        searching.fail(typeOf(error));
        throw error;
      } finally {
        searching.end();
      }
    },

    /** The model is asked; the built-in one is none. */
    asks(): void {
      if (isExtractive(model)) return;
      asking = span.child(
        `chat ${model.modelId}`,
        {
          'gen_ai.operation.name': 'chat',
          // `anthropic.messages` is Anthropic; a model of another address has the name that the owner gave it.
          'gen_ai.provider.name': model.provider.split('.')[0],
          'gen_ai.request.model': model.modelId,
        },
        'client',
      );
    },

    /** The model has ended by itself. */
    finished(reason: string, tokens: Pick<EndedTurn, 'inputTokens' | 'outputTokens'>): void {
      asking?.set({
        'gen_ai.response.finish_reasons': [reason],
        'gen_ai.usage.input_tokens': tokens.inputTokens,
        'gen_ai.usage.output_tokens': tokens.outputTokens,
      });
      asking?.end();
    },

    /** It is no fault where the reader left. */
    failed(error: unknown): void {
      const type = typeOf(error);
      asking?.fail(type);
      span.fail(type);
    },

    /** However it ended. */
    end(result: EndedTurn, firstTextMs?: number): void {
      asking?.end();
      span.set({
        'docent.answer.status': result.status,
        'docent.answer.outcome': result.outcome?.status,
        'docent.answer.confidence': result.outcome?.confidence,
        'docent.answer.sources': result.sources.length,
        'docent.answer.first_text_ms':
          firstTextMs === undefined ? undefined : Math.round(firstTextMs),
      });
      span.end();
    },
  };
}

/** A word that is safe to send: messages may quote what was asked. */
function typeOf(error: unknown): string {
  return error instanceof DocentError ? error.code : 'internal';
}
