/** Sends spans to an OpenTelemetry collector over OTLP/HTTP. Loaded only if one is configured. */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind as OtelKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { untilAborted } from '../abort.ts';
import type { TracesTarget } from '../config/environment.ts';
import type { Logger } from '../log.ts';
import type { Attributes, Span, SpanKind, Tracing } from './tracing.ts';

const closeMs = 3_000;

const kinds: Record<SpanKind, OtelKind> = {
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  internal: OtelKind.INTERNAL,
};

type Log = Pick<Logger, 'info' | 'warn'>;

export function createOtlpTracing({ url, serviceName }: TracesTarget, log: Log): Tracing {
  // Headers, timeout and certificates of the collector are the exporter's own standard variables.
  const exporter = withWords(new OTLPTraceExporter({ url }), log);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'docent' }))
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes(serviceName ? { 'service.name': serviceName } : {})),
    // Callers decide whether their traces are sampled. All others are, and the collector may choose.
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 2_000 })],
  });
  const tracer = provider.getTracer('docent');
  const propagator = new W3CTraceContextPropagator();
  // Not the library's global provider, because a process may run several services.
  const current = new AsyncLocalStorage<Context>();

  function begin(
    name: string,
    attributes: Attributes,
    kind: SpanKind,
    parent: Context,
  ): { span: Span; context: Context } {
    const inner = tracer.startSpan(name, { kind: kinds[kind], attributes }, parent);
    const context = trace.setSpan(parent, inner);
    return { span: toSpan(inner, context), context };
  }

  const toSpan = (inner: OtelSpan, context: Context): Span => ({
    set(attributes) {
      inner.setAttributes(attributes);
    },
    rename(name) {
      inner.updateName(name);
    },
    fail(type) {
      inner.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
    },
    child: (name, attributes, kind = 'internal') => begin(name, attributes, kind, context).span,
    end() {
      if (inner.isRecording()) inner.end();
    },
  });

  return {
    start: (name, attributes, kind = 'internal') =>
      begin(name, attributes, kind, current.getStore() ?? ROOT_CONTEXT).span,
    inRequest(headers, attributes, run) {
      const caller = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
      const { span, context } = begin('request', attributes, 'server', caller);
      current.run(context, () => run(span));
    },
    async close() {
      const inTime = AbortSignal.timeout(closeMs);
      await untilAborted(() => provider.shutdown(), inTime).catch(() => {});
    },
  };
}

/** Logs once when the collector fails, and once when it works again. */
function withWords(exporter: SpanExporter, log: Log): SpanExporter {
  let isAway = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== ExportResultCode.SUCCESS;
        if (hasFailed && !isAway) {
          log.warn({ err: result.error }, "the collector doesn't accept traces; they are lost");
        }
        if (!hasFailed && isAway) log.info('the collector accepts traces again');
        isAway = hasFailed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
