/** Measures the embedder, if there is one, with passages of the sites: cold, warm, and texts per second. */
import type { BaseServices } from '../../open-services.ts';
import { openEmbedder } from '../../retrieval/create-retriever.ts';
import type { Embedder } from '../../retrieval/embedder.ts';
import { loadMs } from '../../retrieval/embedding/embed-all.ts';
import type { Page, Retriever } from '../../retrieval/retriever.ts';
import { embeddingText } from '../../retrieval/vectors.ts';
import { type Finding, fine, note, problem, shortNumber } from './finding.ts';

const samplePages = 8;
const samplePassages = 24;

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
  const speed = await measure(embedder, retriever, sites).then(
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
