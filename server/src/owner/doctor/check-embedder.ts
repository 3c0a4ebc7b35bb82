/** Measures the embedder, if there is one, with passages of the sites: cold, warm, and texts per second. */
import type { BaseServices } from '../../open-services.ts';
import { openEmbedder } from '../../retrieval/create-retriever.ts';
import type { Embedder } from '../../retrieval/embedder.ts';
import { loadMs } from '../../retrieval/embedding/pace.ts';
import type { Page, Retriever } from '../../retrieval/retriever.ts';
import { embeddingText } from '../../retrieval/vectors.ts';
import { type Finding, fine, note, problem } from './finding.ts';

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
  const trusts = await Promise.all(
    sites.map(async ({ domain }) => [domain, await trustOf(retriever, domain)] as const),
  );
  const useless = trusts
    .filter(([, trust]) => trust === 0)
    .map(([domain]) =>
      problem(
        `${domain}: the vectors of "${model}" seldom find the site's own pages, so they don't count.`,
        'Check the model and its prefixes, or remove search.embedder. To compare, run `docent eval`.',
      ),
    );
  return [...speed, ...useless];
}

const trustOf = (retriever: Pick<Retriever, 'trust'>, domain: string) =>
  retriever.trust(domain).catch(() => undefined);

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
  const time = minutes > 1 ? `about ${minutes} minutes` : 'less than a minute';
  return `${first} It embeds ${show(perSecond)} passages per second, so all of about ${passages} take ${time}.`;
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
