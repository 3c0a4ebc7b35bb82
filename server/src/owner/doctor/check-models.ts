/** Asks a site's models one short question each, and the embedder for some vectors. */
import { APICallError } from '@ai-sdk/provider';
import type { BaseServices } from '../../open-services.ts';
import { DocentError } from '../../platform/errors.ts';
import { createModels, isExtractive, type NamedModel } from '../../platform/models/model.ts';
import { contextAdvice } from '../../platform/models/model-server.ts';
import { providerMessage } from '../../platform/models/provider-error.ts';
import { readModel } from '../../platform/models/read-model.ts';
import { createExtractiveModel } from '../../reader/extractive/extractive-model.ts';
import { type Finding, fine, messageOf, note, problem, shortNumber } from './finding.ts';
import { openEmbedder } from '../../retrieval/create-retriever.ts';
import type { Embedder } from '../../retrieval/embedder.ts';
import { loadMs } from '../../retrieval/embedding/embed-all.ts';
import type { Page, Retriever } from '../../retrieval/retriever.ts';
import { embeddingText } from '../../retrieval/vectors.ts';

type ModelDeps = Pick<BaseServices, 'config' | 'environment' | 'sites'>;

const open = ({ config, environment }: ModelDeps) =>
  createModels(config, environment, createExtractiveModel());

export async function checkModels(services: ModelDeps, isAsked: boolean): Promise<Finding[]> {
  const models = await open(services);
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const site of services.sites.all()) {
    for (const named of models.forSite(site)) {
      const { name } = named;
      if (isExtractive(named.model) || name === undefined) {
        findings.push(note(`${site.domain} has no model, so its answers are quotations.`));
      } else if (!isAsked) {
        findings.push(note(`${site.domain}: to ask the model "${name}" a question, add --model.`));
      } else if (!seen.has(name)) {
        seen.add(name);
        // oxlint-disable-next-line no-await-in-loop -- a provider may limit questions at once
        findings.push(...(await ask(named, name, services)));
      }
    }
  }
  return findings;
}

export async function checkModel(services: ModelDeps, name: string): Promise<Finding[]> {
  const models = await open(services);
  const named = models.named(name);
  if (!named) throw new DocentError('not_found', `The configuration has no model "${name}".`);
  return ask(named, name, services);
}

async function ask(
  named: NamedModel,
  name: string,
  { config, environment }: ModelDeps,
): Promise<Finding[]> {
  try {
    const { isLoaded } = (await named.server?.look()) ?? {};
    const first = await measure(named, 'Reply with: OK');
    const answered = fine(`The model "${name}" answered after ${secondsOf(first.firstMs)}.`);
    const facts = (await named.server?.look()) ?? {};
    if (facts.kind === undefined) return [answered];
    const second = await measure(named, 'Count from 1 to 40, separated by commas.');
    return [answered, ...describe(named, name, { isLoaded, first, second })];
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    const { statusCode: status, responseBody }: Partial<APICallError> = APICallError.isInstance(
      cause,
    )
      ? cause
      : {};
    const variable = config.models[name]?.apiKeyEnv;
    const key = variable === undefined ? undefined : environment.secret(variable);
    const said = (providerMessage(responseBody) ?? messageOf(cause)).replaceAll(key ?? '\0', '…');
    const how = status === undefined ? "didn't answer" : `answered ${status}`;
    return [problem(`The model "${name}" ${how}: ${said}`, adviceFor(status, name, variable))];
  }
}

interface Measured {
  /** Until the first sign of life. */
  firstMs: number;
  tokensPerSecond: number | undefined;
}

async function measure(named: NamedModel, text: string): Promise<Measured> {
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }];
  const startedAt = performance.now();
  let firstMs: number | undefined;
  let tokens: number | undefined;
  let written = 0;
  const call = { prompt, maxOutputTokens: maxMeasured };
  for await (const event of readModel([named], call, { log: unheard, attempts: 1 })) {
    if (event.type === 'finish') tokens = event.outputTokens;
    else {
      firstMs ??= performance.now() - startedAt;
      written += event.text.length;
    }
  }
  tokens ??= Math.ceil(written / 4);
  firstMs ??= performance.now() - startedAt;
  const writingMs = performance.now() - startedAt - firstMs;
  return { firstMs, tokensPerSecond: tokens > 1 ? (tokens * 1000) / writingMs : undefined };
}

/** What a server of one's own says, what was measured, and what to change. */
function describe(
  { server, contextTokens: configured, maxTokens, timeouts }: NamedModel,
  name: string,
  { isLoaded, first, second }: { isLoaded: boolean | undefined; first: Measured; second: Measured },
): Finding[] {
  const { kind, contextTokens, trainedTokens } = server?.facts ?? {};
  const setting = `models.${name}`;
  const speed = second.tokensPerSecond;
  const cold = isLoaded === false ? `${secondsOf(first.firstMs)} after loading, ` : '';
  const words = speed === undefined ? '' : `, then ${shortNumber(speed)} tokens per second`;
  const of = trainedTokens ? ` of the ${shortNumber(trainedTokens)} that the model can have` : '';
  const context = `Its context has ${shortNumber(contextTokens ?? 0)} tokens${of}.`;
  const advice = contextAdvice(kind, name);
  const answerMinutes = maxTokens / (speed ?? Infinity) / 60;
  return [
    fine(
      `It runs on ${kind}. Its first word came after ${cold}${secondsOf(second.firstMs)} warm${words}.`,
    ),
    contextTokens === undefined
      ? note(`${kind} doesn't say how much context it has. Set ${setting}.contextTokens.`)
      : contextTokens < smallContext
        ? note(`${context} Answers rest on fewer passages. ${advice}`)
        : fine(context),
    contextTokens !== undefined &&
      (configured ?? 0) > contextTokens &&
      problem(`${setting}.contextTokens is more than that.`, advice),
    isLoaded === false &&
      kind === 'Ollama' &&
      note('Ollama unloads a model after five minutes. Set OLLAMA_KEEP_ALIVE=-1 to keep it.'),
    answerMinutes > slowAnswerMinutes &&
      note(
        `A long answer takes ${shortNumber(answerMinutes)} minutes. Use a smaller model, or lower ${setting}.maxAnswerTokens.`,
      ),
    second.firstMs > timeouts.firstWordMs / 2 &&
      problem('Its first word is slow.', `Set ${setting}.firstWordSeconds to 600, the most.`),
  ].filter((finding) => finding !== false);
}

/** What fails is a finding, and a server that loads its model is waited for. */
const unheard = { warn: () => undefined };
const maxMeasured = 150;
const smallContext = 8_192;
const slowAnswerMinutes = 3;
const secondsOf = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

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

const samplePages = 8;
const samplePassages = 24;

/** Measures the embedder, if there is one, with passages of the sites: cold, warm, and texts per second. */
export async function checkEmbedder({
  config,
  environment,
  retriever,
  sites,
}: Pick<BaseServices, 'config' | 'environment' | 'retriever'> & {
  sites: readonly { domain: string }[];
}): Promise<Finding[] | undefined> {
  const secret = (name: string) => environment.secret(name);
  const embedder = openEmbedder({ search: config.search, secret }, { questionMs: loadMs });
  if (!embedder) return undefined;
  const { model } = embedder.source;
  const speed = await measureEmbedder(embedder, retriever, sites).then(
    (text) => [fine(text), prefixesOf(embedder)],
    (error: Error) => {
      const said = error.cause instanceof Error ? ` ${error.cause.message}` : '';
      const text = `The embedder "${model}" failed: ${error.message}${said}`;
      return [problem(text, 'Check search.embedder, and that its server runs.')];
    },
  );
  const useless = sites.map(async ({ domain }) => {
    if ((await retriever.trust(domain).catch(() => undefined)) !== 0) return [];
    const text = `${domain}: the vectors of "${model}" seldom find the site's own pages, so they don't count.`;
    const fix =
      'Check the model and its prefixes, or remove search.embedder. To compare, run `docent eval`.';
    return [problem(text, fix)];
  });
  return [...speed, ...(await Promise.all(useless)).flat()];
}

async function measureEmbedder(
  embedder: Embedder,
  retriever: Pick<Retriever, 'hashes' | 'page'>,
  sites: readonly { domain: string }[],
): Promise<string> {
  const { model, dimensions, queryPrefix, passagePrefix } = embedder.source;
  const question = `${queryPrefix}How do I start?`;
  const cold = await seconds(() => embedder.embedQuestion(question));
  const warm = await seconds(() => embedder.embedQuestion(question));
  const { texts, passages } = await sample(retriever, sites);
  const first = `The embedder "${model}" answered after ${cold.toFixed(1)} s, then after ${warm.toFixed(1)} s, with ${dimensions} numbers.`;
  if (texts.length === 0) return first;
  const took = await seconds(() =>
    embedder.embedPassages(
      texts.map((text) => passagePrefix + text),
      { onVectors: () => undefined, onSkipped: () => undefined },
    ),
  );
  const perSecond = texts.length / took;
  const minutes = Math.ceil(passages / perSecond / 60);
  const time = minutes > 1 ? `about ${minutes} minutes` : 'less than a minute';
  return `${first} It embeds ${shortNumber(perSecond)} passages per second, so all of about ${passages} take ${time}.`;
}

/** Passages of pages all over the sites, and about how many there are in all. */
async function sample(
  retriever: Pick<Retriever, 'hashes' | 'page'>,
  sites: readonly { domain: string }[],
): Promise<{ texts: string[]; passages: number }> {
  const texts: string[] = [];
  let passages = 0;
  for (const { domain } of sites) {
    const paths = [...(await retriever.hashes(domain)).keys()];
    const step = Math.ceil(paths.length / samplePages);
    const chosen = paths.filter((_, at) => at % step === 0);
    const pages = await Promise.all(chosen.map((path) => retriever.page(domain, path)));
    const found = pages.flatMap((page) =>
      (page?.passages ?? []).map((passage) => embeddingText(page as Page, passage)),
    );
    texts.push(...found);
    passages += Math.round((found.length * paths.length) / (chosen.length || 1));
  }
  return { texts: texts.slice(0, samplePassages), passages };
}

function prefixesOf({ source: { model, queryPrefix, passagePrefix } }: Embedder): Finding {
  const [query, passage] = [queryPrefix, passagePrefix].map((text) => JSON.stringify(text));
  return queryPrefix + passagePrefix === ''
    ? note(
        `"${model}" gets no prefixes. If its description names some, set queryPrefix and passagePrefix.`,
      )
    : fine(`Its questions start with ${query}, its passages with ${passage}.`);
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
