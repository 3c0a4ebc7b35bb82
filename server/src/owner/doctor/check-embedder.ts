/** Measures the embedder with passages of the sites: cold, warm, and texts per second. */
import type { BaseServices } from '../../open-services.ts';
import { DocentError } from '../../platform/errors.ts';
import { openEmbedder } from '../../retrieval/create-retriever.ts';
import type { Embedder } from '../../retrieval/embedder.ts';
import { loadMs } from '../../retrieval/embedding/pace.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { embeddingText } from '../../retrieval/vectors.ts';
import { type Finding, fine, messageOf, note, problem } from './finding.ts';

const samplePages = 8;
const samplePassages = 24;

export async function checkEmbedder(
  services: Pick<BaseServices, 'config' | 'environment' | 'retriever'>,
  isAsked: boolean,
): Promise<Finding[]> {
  const { config, environment, retriever } = services;
  const secret = (name: string) => environment.secret(name);
  const embedder = openEmbedder({ search: config.search, secret }, { questionMs: loadMs });
  if (!embedder) return [];
  const { model } = embedder.source;
  if (!isAsked) return [note(`To measure the embedder "${model}", add --model.`)];
  const findings: Finding[] = [];
  try {
    findings.push(fine(await measure(embedder, retriever, config.sites)), prefixesOf(embedder));
  } catch (error) {
    const text = `The embedder "${model}" failed: ${messageOf(error)}`;
    const cause = error instanceof DocentError ? error.cause : undefined;
    const said = cause === undefined ? '' : ` ${messageOf(cause)}`;
    return [problem(text + said, 'Check search.embedder, and that its server runs.')];
  }
  for (const { domain } of config.sites) {
    const trust = await retriever.trust(domain).catch(() => undefined);
    if (trust !== 0) continue;
    findings.push(
      problem(
        `${domain}: the vectors of "${model}" find the site's own pages worse than words do, so they don't count.`,
        'Check the model and its prefixes, or remove search.embedder. To compare, run `docent eval`.',
      ),
    );
  }
  return findings;
}

async function measure(
  embedder: Embedder,
  retriever: Pick<Retriever, 'hashes' | 'page'>,
  sites: readonly { domain: string }[],
): Promise<string> {
  const { model, dimensions, queryPrefix, passagePrefix } = embedder.source;
  const question = `${queryPrefix}How do I start?`;
  const cold = await seconds(() => embedder.embedQuestion(question));
  const warm = await seconds(() => embedder.embedQuestion(question));
  const { texts, passages } = await sample(retriever, sites);
  const first = `The embedder "${model}" answered after ${show(cold)} s, then after ${show(warm)} s, with ${dimensions} numbers.`;
  if (texts.length === 0) return first;
  const took = await seconds(() =>
    embedder.embedPassages(
      texts.map((text) => passagePrefix + text),
      { onVectors: () => undefined, onSkipped: () => undefined },
    ),
  );
  const perSecond = texts.length / took;
  const minutes = Math.ceil(passages / perSecond / 60);
  return `${first} It embeds ${show(perSecond)} passages per second, so all of about ${passages} take about ${minutes} min.`;
}

/** Some passages, and about how many there are. */
async function sample(
  retriever: Pick<Retriever, 'hashes' | 'page'>,
  sites: readonly { domain: string }[],
): Promise<{ texts: string[]; passages: number }> {
  const texts: string[] = [];
  let passages = 0;
  for (const { domain } of sites) {
    const paths = [...(await retriever.hashes(domain)).keys()];
    const step = Math.max(1, paths.length / samplePages);
    let read = 0;
    let found = 0;
    for (let at = 0; at < paths.length; at += step) {
      const page = await retriever.page(domain, paths[Math.floor(at)] ?? '');
      if (!page) continue;
      read += 1;
      found += page.passages.length;
      texts.push(...page.passages.map((passage) => embeddingText(page, passage)));
    }
    if (read > 0) passages += Math.round((found / read) * paths.length);
  }
  return { texts: texts.slice(0, samplePassages), passages };
}

function prefixesOf({ source: { model, queryPrefix, passagePrefix } }: Embedder): Finding {
  if (queryPrefix === '' && passagePrefix === '') {
    return note(
      `"${model}" gets no prefixes. If its description names some, set queryPrefix and passagePrefix.`,
    );
  }
  const quoted = (text: string) => JSON.stringify(text);
  return fine(
    `Its questions start with ${quoted(queryPrefix)}, its passages with ${quoted(passagePrefix)}.`,
  );
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}

const show = (value: number): string => (value < 10 ? value.toFixed(1) : String(Math.round(value)));
