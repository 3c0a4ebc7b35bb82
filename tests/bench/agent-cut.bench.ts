/**
 * How long a job outlives its limit, or its cancel: the model has said something and is silent, with its
 * connection open. Measured from the moment that the time is over, or that the cancel is sent, until the
 * model's connection is closed.
 *   node tests/bench/agent-cut.bench.ts [--rounds 20]
 */
import { parseArgs } from 'node:util';
import { agentOf } from '../support/agent.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { silence, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';
import { quantile } from './processes.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } });
const rounds = Number(values.rounds);

await using model = await startScriptedModel(['Let me see', silence]);
await using docs = await makeRepository({ 'install.md': '# Install\n' });
const project = { organization: 'kestrel', repository: docs.path, model: 'main' };
const idleSeconds = 0.5;
await using docent = await startDocent({
  models: { main: toModel(model.url) },
  agent: { perProject: 1, perProjectAndHour: 10_000 },
  projects: [
    { id: 'cancelled', ...project },
    { id: 'idle', ...project, limits: { idleSeconds } },
  ],
});

await measure('after a cancel', 'cancelled', async (agent, id) => {
  const begin = performance.now();
  await agent.cancel(id);
  return begin;
});
await measure('after the limit of silence', 'idle', () =>
  Promise.resolve(performance.now() + idleSeconds * 1000),
);

async function measure(
  what: string,
  name: string,
  begin: (agent: ReturnType<typeof agentOf>, id: string) => Promise<number>,
): Promise<void> {
  const agent = agentOf(docent, name);
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const asked = model.requests.length;
    const { body } = await agent.create({ prompt: 'Fix the install page.' });
    const request = await model.request(asked + 1);
    while (request.tokensSent < 1) await new Promise((resolve) => setImmediate(resolve));
    const begun = await begin(agent, body.id);
    await request.gone;
    took.push(performance.now() - begun);
    let status = 'active';
    while (status === 'active') ({ status } = (await agent.read(body.id)).body);
  }
  const ms = (share: number) => `${quantile(took, share).toFixed(0)} ms`;
  console.log(`${what}: the model is left after ${ms(0.5)} (median), ${ms(1)} (most) of ${rounds}`);
}
