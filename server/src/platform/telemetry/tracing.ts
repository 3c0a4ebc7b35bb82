/**
 * Spans of requests, answers, searches, models and indexing. Without the environment variable of a
 * collector nothing of OpenTelemetry is loaded, and every call here does nothing.
 */
import type { Environment } from '../config/environment.ts';
import type { Logger } from '../log.ts';

/** Names and numbers only: no span ever holds what a reader wrote, a key, or who a reader is. */
export type Attributes = Record<string, string | number | boolean | string[] | undefined>;

export type SpanKind = 'server' | 'client' | 'internal';

export interface Span {
  set(attributes: Attributes): void;
  /** Another name, where the first was given before it was known. */
  rename(name: string): void;
  /** `type` is one of few words: a code of ours, or the name of an error. */
  fail(type: string): void;
  child(name: string, attributes: Attributes, kind?: SpanKind): Span;
  /** Once; what comes after it is not noted. */
  end(): void;
}

/** What a caller says of the trace that its request is part of (W3C Trace Context). */
export type TraceHeaders = Record<string, string | string[] | undefined>;

export interface Tracing {
  isOn: boolean;
  /** A span below the one that this code runs in, or else the first of a trace. */
  start(name: string, attributes: Attributes, kind?: SpanKind): Span;
  /** Runs code in the span of a request; also what it calls later runs in it. */
  inRequest(headers: TraceHeaders, attributes: Attributes, run: (span: Span) => void): void;
  /** Sends what has not been sent; gives up where the collector does not take it soon. */
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
  isOn: false,
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
