/** Traces, as an OpenTelemetry collector receives them. */
import { ConfigError } from '@docent/server/docent';
import { expect, test } from 'vitest';
import { toBody } from '../support/ask.ts';
import { runProcess, writeConfig } from '../support/cli.ts';
import { startCollector } from '../support/collector.ts';
import { fixtureDocs, kestrel, temporaryFolder } from '../support/fixture.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startDocent } from '../support/start-docent.ts';

const [none, failed] = [0, 2];
const [server, client] = [2, 3];

test('an answer is a trace of its request, its search and its model', async () => {
  await using collector = await startCollector();
  await using model = await startScriptedModel();
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, OTEL_SERVICE_NAME: 'docs' };
  await using docent = await startDocent({ model, variables });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const [question, fp] = ['How do I install Kestrel?', 'reader-of-this-test'];
  const asked = await docent.ask(toBody(question, { fp }), {
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01`, 'x-request-id': 'request-1' },
  });
  expect(asked.status).toBe(200);
  // What has not been sent is sent at the stop.
  await docent.docent.close();

  expect([...collector.paths]).toEqual(['/v1/traces']);
  const spans = collector.spans.filter((span) => span.traceId === traceId);
  const named = (name: string) => spans.find((span) => span.name === name);
  const request = named('POST /discovery/v2/assistant/:domain/message');
  expect(request).toMatchObject({
    parentSpanId: 'b7ad6b7169203331',
    kind: server,
    service: 'docs',
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/discovery/v2/assistant/:domain/message',
      'http.response.status_code': 200,
      'docent.request_id': 'request-1',
    },
  });
  const answer = named('answer');
  expect(answer).toMatchObject({
    parentSpanId: request?.spanId,
    status: { code: none },
    attributes: {
      'docent.site': 'kestrel-docs',
      'docent.answer.status': 'complete',
      'docent.answer.outcome': 'answered',
    },
  });
  expect(named('retrieval kestrel-docs')).toMatchObject({
    parentSpanId: answer?.spanId,
    attributes: { 'gen_ai.operation.name': 'retrieval', 'docent.search.pages': expect.any(Number) },
  });
  expect(named('chat scripted')).toMatchObject({
    parentSpanId: answer?.spanId,
    kind: client,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'main',
      'gen_ai.request.model': 'scripted',
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
    },
  });
  expect(spans).toHaveLength(4);
  const sent = collector.bodies.join('\n');
  const threadId = asked.headers.get('x-thread-id') ?? 'none';
  for (const private_ of [question, fp, docent.key, threadId, 'Kestrel answers']) {
    expect(sent).not.toContain(private_);
  }
});

test('a model that fails is an error in each span that it fails', async () => {
  await using collector = await startCollector();
  await using model = await startScriptedModel({ status: 500 });
  const variables = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/otlp` };
  await using docent = await startDocent({ model, variables });
  await docent.ask('How do I install Kestrel?');
  await docent.docent.close();
  expect([...collector.paths]).toEqual(['/otlp']);
  for (const name of ['chat scripted', 'answer']) {
    expect(collector.spans.find((span) => span.name === name)).toMatchObject({
      service: 'docent',
      status: { code: failed },
      attributes: { 'error.type': 'upstream_failed' },
    });
  }
});

test('a run of the index on the command line is a trace', async () => {
  await using collector = await startCollector();
  await using folder = await temporaryFolder();
  const config = await writeConfig(folder.path, {
    sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
  });
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=docs-index',
  };
  expect((await runProcess(['index', '--config', config], { env })).code).toBe(0);
  expect(collector.spans).toMatchObject([
    { name: 'index kestrel-docs', service: 'docs-index', attributes: { 'docent.index.pages': 4 } },
  ]);
});

test('a collector that is away harms no answer and no stop; the log says it once', async () => {
  await using folder = await temporaryFolder();
  const gone = await startCollector();
  await gone[Symbol.asyncDispose]();
  const config = await writeConfig(folder.path, {
    sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
  });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: gone.url };
  const run = await runProcess(['index', '--config', config], { env });
  expect(run.code).toBe(0);
  expect(run.stderr.match(/the collector doesn't accept traces/g)).toHaveLength(1);
});

test.each([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /OTEL_EXPORTER_OTLP_ENDPOINT .*such as http/],
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTEL_EXPORTER_OTLP_PROTOCOL .*http\/json/],
])('%o is a mistake that is named at start', async (variables, words) => {
  const start = startDocent({ variables });
  await expect(start).rejects.toThrow(ConfigError);
  await expect(start).rejects.toThrow(words);
});
