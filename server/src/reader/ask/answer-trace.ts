/** The spans of one answer, with OpenTelemetry's attribute names for generative AI where they exist. */
import { DocentError } from '../../platform/errors.ts';
import { isExtractive, type Model } from '../../platform/models/model.ts';
import type { SearchResult } from '../../retrieval/retriever.ts';
import { noTracing, type Span, type Tracing } from '../../platform/telemetry/tracing.ts';
import type { EndedTurn } from '../conversations/threads.ts';

export function traceAnswer(tracing: Tracing = noTracing, domain: string) {
  const span = tracing.start('answer', { 'docent.site': domain });
  let asking: Span | undefined;

  return {
    /** Runs the search in a span of its own. */
    async search(search: () => Promise<SearchResult>): Promise<SearchResult> {
      const searching = span.child(`retrieval ${domain}`, {
        'gen_ai.operation.name': 'retrieval',
        'gen_ai.data_source.id': domain,
      });
      try {
        const found = await search();
        searching.set({
          'docent.search.pages': found.pages.length,
          'docent.search.confidence': found.confidence,
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

    /** Starts a model's span; a fallback's follows. The built-in model has none. */
    asks(model: Model): void {
      if (isExtractive(model)) return;
      asking?.fail('upstream_failed');
      asking?.end();
      asking = span.child(
        `chat ${model.modelId}`,
        {
          'gen_ai.operation.name': 'chat',
          // `anthropic.messages` is Anthropic. A model at another address has the name that the owner gave it.
          'gen_ai.provider.name': model.provider.split('.')[0],
          'gen_ai.request.model': model.modelId,
        },
        'client',
      );
    },

    /** The model has finished. */
    finished(reason: string, tokens: Pick<EndedTurn, 'inputTokens' | 'outputTokens'>): void {
      asking?.set({
        'gen_ai.response.finish_reasons': [reason],
        'gen_ai.usage.input_tokens': tokens.inputTokens,
        'gen_ai.usage.output_tokens': tokens.outputTokens,
      });
      asking?.end();
    },

    /** Not called when the reader left, which isn't an error. */
    failed(error: unknown): void {
      const type = typeOf(error);
      asking?.fail(type);
      span.fail(type);
    },

    /** Ends all spans, however the answer ended. */
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

/** The error's code. Its message may quote the question. */
function typeOf(error: unknown): string {
  return error instanceof DocentError ? error.code : 'internal';
}
