/** What Prometheus reads. */
import { expect, test } from 'vitest';
import { ConfigError } from '@docent/server/docent';
import { agentOf, handOf, kestrelProject } from '../support/agent.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startDocent } from '../support/start-docent.ts';

const server = { metricsTokenEnv: 'METRICS_TOKEN' };
const variables = { METRICS_TOKEN: 'a-token-of-this-test' };

test('counts answers, tokens, times and requests', async () => {
  await using model = await startScriptedModel();
  await using docent = await startDocent({ model, server, variables });
  await docent.ask('How do I install Kestrel?');
  await docent.ask('How do I install Kestrel?', { key: 'svc_dsc_none' });
  const headers = { authorization: 'Bearer a-token-of-this-test' };
  const response = await fetch(`${docent.url}/metrics`, { headers });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toContain('text/plain');
  const read = async () => (await fetch(`${docent.url}/metrics`, { headers })).text();
  for (const line of [
    'docent_answers_total{domain="kestrel-docs",status="complete",outcome="answered"} 1',
    'docent_answer_first_text_seconds_count{domain="kestrel-docs"} 1',
    'docent_search_seconds_count{domain="kestrel-docs"} 1',
    'docent_http_requests_total{method="POST",route="/discovery/v2/assistant/:domain/message",status="200"} 1',
    'docent_http_requests_total{method="POST",route="/discovery/v2/assistant/:domain/message",status="401"} 1',
    'docent_answers_running 0',
  ]) {
    // A request is counted once all of its response has been handed over.
    await expect.poll(read).toContain(line);
  }
  const text = await read();
  expect(text).toMatch(/docent_model_tokens_total\{domain="kestrel-docs",direction="output"\} \d+/);
  expect(text).toContain('nodejs_eventloop_lag_seconds');
});

test('says how many agent jobs wait and run', async () => {
  await using docent = await startDocent({
    server,
    variables,
    runJobs: false,
    projects: [kestrelProject],
  });
  const agent = agentOf(docent);
  const { id } = (await agent.create({ prompt: 'Fix the links' })).body;
  for (const prompt of ['One', 'Two']) await agent.create({ prompt });
  await handOf(docent).take(id);
  const headers = { authorization: 'Bearer a-token-of-this-test' };
  const read = async () => (await fetch(`${docent.url}/metrics`, { headers })).text();
  const text = await read();
  expect(text).toContain('docent_agent_jobs_active{phase="queued"} 2\n');
  expect(text).toContain('docent_agent_jobs_active{phase="running"} 1\n');
  await handOf(docent).complete(id);
  expect(await read()).toContain('docent_agent_jobs_active{phase="running"} 0\n');
});

test('is for who knows the token, and not there without the setting', async () => {
  await using guarded = await startDocent({ server, variables });
  const status = async (url: string, authorization: string) =>
    (await fetch(`${url}/metrics`, { headers: { authorization } })).status;
  expect(await status(guarded.url, '')).toBe(401);
  expect(await status(guarded.url, 'Bearer wrong')).toBe(401);
  expect(await status(guarded.url, `Bearer ${guarded.key}`)).toBe(401);
  await using open = await startDocent();
  expect(await status(open.url, 'Bearer a-token-of-this-test')).toBe(404);
  await expect(startDocent({ server })).rejects.toThrow(ConfigError);
});
