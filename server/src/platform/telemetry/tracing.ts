/**
 * Spans of requests, answers, searches, model calls and indexing. Without the environment variable of a
 * collector, OpenTelemetry isn't loaded and these functions do nothing.
 */
import type { Environment } from '../config/environment.ts';
import type { Logger } from '../log.ts';

/** Names and numbers only. Spans never contain keys, or the words and names of readers. */
export type Attributes = Record<string, string | number | boolean | string[] | undefined>;

export type SpanKind = 'server' | 'client' | 'internal';

export interface Span {
  set(attributes: Attributes): void;
  /** Renames the span, once its final name is known. */
  rename(name: string): void;
  /** `type` is an error code or the name of an error class. */
  fail(type: string): void;
  child(name: string, attributes: Attributes, kind?: SpanKind): Span;
  /** Ends the span. Later calls do nothing. */
  end(): void;
}

/** The trace that a request is part of, from its headers (W3C Trace Context). */
export type TraceHeaders = Record<string, string | string[] | undefined>;

export interface Tracing {
  /** Starts a child of the current span, or a new trace. */
  start(name: string, attributes: Attributes, kind?: SpanKind): Span;
  /** Runs code, and everything that it calls later, in the span of a request. */
  inRequest(headers: TraceHeaders, attributes: Attributes, run: (span: Span) => void): void;
  /** Sends the remaining spans, with a time limit. */
  close(): Promise<void>;
}

const noSpan: Span = {
  set() {},
  rename() {},
  fail() {},
  child: () => noSpan,
  end() {},
};

export const noTracing: Tracing = {
  start: () => noSpan,
  inRequest: (_headers, _attributes, run) => run(noSpan),
  close: () => Promise.resolve(),
};

export async function createTracing(
  { traces }: Pick<Environment, 'traces'>,
  log: Pick<Logger, 'info' | 'warn'>,
): Promise<Tracing> {
  if (traces === undefined) return noTracing;
  // The library takes a quarter of a second to load.
  const { createOtlpTracing } = await import('./otlp-tracing.ts');
  return createOtlpTracing(traces, log);
}
