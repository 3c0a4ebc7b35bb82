/** Asks a site's models one short question each. */
import { APICallError } from '@ai-sdk/provider';
import type { BaseServices } from '../../open-services.ts';
import { DocentError } from '../../platform/errors.ts';
import { createModels, isExtractive, type NamedModel } from '../../platform/models/model.ts';
import { contextAdvice } from '../../platform/models/server-advice.ts';
import { providerMessage } from '../../platform/models/provider-error.ts';
import { readModel } from '../../platform/models/read-model.ts';
import { createExtractiveModel } from '../../reader/extractive/extractive-model.ts';
import { type Finding, fine, messageOf, note, problem } from './finding.ts';

type ModelDeps = Pick<BaseServices, 'config' | 'environment' | 'log'>;

export async function checkModels(
  { config, environment, log }: ModelDeps,
  isAsked: boolean,
): Promise<Finding[]> {
  const models = await createModels(config, environment, createExtractiveModel());
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const site of config.sites) {
    for (const named of models.forSite(site)) {
      if (isExtractive(named.model) || named.name === undefined) {
        findings.push(note(`${site.domain} has no model, so its answers are quotations.`));
      } else if (!isAsked) {
        findings.push(
          note(`${site.domain}: to ask the model "${named.name}" a question, add --model.`),
        );
      } else if (!seen.has(named.name)) {
        seen.add(named.name);
        // oxlint-disable-next-line no-await-in-loop -- a provider may limit questions at once
        findings.push(...(await ask(named, named.name, { config, environment, log })));
      }
    }
  }
  return findings;
}

/** Asks one model of the configuration. */
export async function checkModel(services: ModelDeps, name: string): Promise<Finding[]> {
  const { config, environment } = services;
  const models = await createModels(config, environment, createExtractiveModel());
  const named = await models.named(name);
  if (!named) throw new DocentError('not_found', `The configuration has no model "${name}".`);
  return ask(named, name, services);
}

async function ask(
  named: NamedModel,
  name: string,
  { config, environment, log }: ModelDeps,
): Promise<Finding[]> {
  const settings = config.models[name];
  const variable = settings?.apiKeyEnv;
  try {
    const { isLoaded } = (await named.server?.look()) ?? {};
    const first = await measure(named, 'Reply with: OK', log);
    const answered = fine(`The model "${name}" answered after ${secondsOf(first.firstMs)}.`);
    const facts = (await named.server?.look()) ?? {};
    if (facts.kind === undefined) return [answered];
    const second = await measure(named, 'Count from 1 to 40, separated by commas.', log);
    return [answered, ...describe(named, name, { isLoaded, first, second })];
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const status = APICallError.isInstance(cause) ? cause.statusCode : undefined;
    const key = variable === undefined ? undefined : environment.secret(variable);
    const body = APICallError.isInstance(cause) ? cause.responseBody : undefined;
    const said = (providerMessage(body) ?? messageOf(cause)).replaceAll(key ?? '\0', '…');
    return [
      problem(
        `The model "${name}" ${status === undefined ? "didn't answer" : `answered ${status}`}: ${said}`,
        adviceFor(status, name, variable),
      ),
    ];
  }
}

interface Measured {
  /** Until the first sign of life. */
  firstMs: number;
  tokensPerSecond: number | undefined;
}

async function measure(named: NamedModel, text: string, log: ModelDeps['log']): Promise<Measured> {
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
  const startedAt = performance.now();
  let firstMs: number | undefined;
  let tokens: number | undefined;
  let written = 0;
  const call = { prompt, maxOutputTokens: maxMeasured };
  for await (const event of readModel([named], call, { log, attempts: 1 })) {
    if (event.type === 'finish') tokens = event.usage.outputTokens.total;
    else {
      firstMs ??= performance.now() - startedAt;
      written += event.text.length;
      // Some servers take no limit.
      if (written > maxMeasured * 10) break;
    }
  }
  tokens ??= Math.ceil(written / 4);
  firstMs ??= performance.now() - startedAt;
  const writingMs = performance.now() - startedAt - firstMs;
  const isMeasured = tokens > 1 && writingMs > 0;
  return { firstMs, tokensPerSecond: isMeasured ? (tokens * 1000) / writingMs : undefined };
}

/** What a server of one's own says, what was measured, and what to change. */
function describe(
  { server, contextTokens: configured, maxTokens, timeouts }: NamedModel,
  name: string,
  { isLoaded, first, second }: { isLoaded: boolean | undefined; first: Measured; second: Measured },
): Finding[] {
  const { kind, contextTokens, trainedTokens } = server?.facts ?? {};
  const speed = second.tokensPerSecond;
  const cold = isLoaded === false ? `${secondsOf(first.firstMs)} after loading, ` : '';
  const found = [
    fine(
      `It runs on ${kind}. Its first word came after ${cold}${secondsOf(second.firstMs)} warm${speed === undefined ? '' : `, then ${formatted(speed)} tokens per second`}.`,
    ),
  ];
  if (contextTokens === undefined)
    found.push(
      note(`${kind} doesn't say how much context it has. Set models.${name}.contextTokens.`),
    );
  else {
    const of =
      trainedTokens === undefined
        ? ''
        : ` of the ${formatted(trainedTokens)} that the model can have`;
    const text = `Its context has ${formatted(contextTokens)} tokens${of}.`;
    found.push(
      contextTokens < smallContext
        ? note(`${text} Answers rest on fewer passages. ${contextAdvice(kind, name)}`)
        : fine(text),
    );
    if (configured !== undefined && configured > contextTokens)
      found.push(
        problem(`models.${name}.contextTokens is more than that.`, contextAdvice(kind, name)),
      );
  }
  if (isLoaded === false && kind === 'Ollama')
    found.push(
      note('Ollama unloads a model after five minutes. Set OLLAMA_KEEP_ALIVE=-1 to keep it.'),
    );
  if (speed !== undefined && (maxTokens / speed) * 1000 > slowAnswerMs)
    found.push(
      note(
        `A long answer takes ${formatted(maxTokens / speed / 60)} minutes. Use a smaller model, or lower models.${name}.maxAnswerTokens.`,
      ),
    );
  if (second.firstMs > timeouts.firstWordMs / 2)
    found.push(
      problem('Its first word is slow.', `Set models.${name}.firstWordSeconds to 600, the most.`),
    );
  return found;
}

const maxMeasured = 150;
const smallContext = 8_192;
const slowAnswerMs = 180_000;
const secondsOf = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const formatted = (value: number) =>
  value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 });

function adviceFor(status: number | undefined, name: string, variable: string | undefined): string {
  if (status === 401 || status === 403) {
    return variable === undefined
      ? `Name the variable with the provider's key in models.${name}.apiKeyEnv.`
      : `Check the value of ${variable}.`;
  }
  if (status === 402 || status === 429) return 'Check the credit and the limits of your account.';
  if (status === 404) return `Check the name and the address in models.${name}.`;
  if (status === undefined) return `Check the address in models.${name}, and that its server runs.`;
  return 'Try again later, or name another model.';
}
