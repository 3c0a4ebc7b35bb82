/**
 * Derives labeled questions from any documentation: removes a heading or a description from its page, and
 * uses it as the question for that page. Such questions are weaker evidence than readers' questions, but
 * there are enough of them to expose a change that only fits one labeled set.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pageFields, readFrontmatter } from '../../server/src/docs/markdown/frontmatter.ts';
import { readPage } from '../../server/src/docs/pages/read-page.ts';
import type { Page } from '../../server/src/retrieval/retriever.ts';
import type { Question } from './retrieval-data.ts';

export interface SourcePage {
  path: string;
  file: string;
  title?: string;
  description?: string;
  markdown: string;
}

export interface DerivedSet {
  pages: Page[];
  questions: Question[];
}

const minWords = 3;
const maxOfAKind = 150;
const asks = /\?$|^(how|what|why|when|where|which|who|can|do|does|is|are|should|will)\b/i;

/** All Markdown below a folder, with the descriptions of its frontmatter. */
export async function readSite(folder: string): Promise<SourcePage[]> {
  const files = (await readdir(folder, { recursive: true }))
    .filter((file) => /\.mdx?$/.test(file))
    .sort();
  return Promise.all(
    files.map(async (file) => {
      const source = await readFile(join(folder, file), 'utf8');
      const { description } = pageFields(readFrontmatter(source));
      const markdown = source.replace(/^description: .*\n(?:[ \t]+.*\n)*/m, '');
      const path = `/${file.replace(/\.mdx?$/, '').replaceAll('\\', '/')}`;
      return { path, file, markdown, ...(description !== undefined && { description }) };
    }),
  );
}

/** At most one question of each kind per page, so that long pages don't dominate. */
export function deriveSet(corpus: string, sources: SourcePage[]): DerivedSet {
  const questions: Question[] = [];
  const headingsOf = sources.map(({ markdown }) =>
    [...markdown.matchAll(/^#{2,4} +(.+?)(?: *\{#.*\}| *#+)?$/gm)]
      .map(([line, text]) => ({ line, text: plain(text ?? '') }))
      .filter(({ text }) => text.split(/\s+/).length >= minWords),
  );
  /** A heading that occurs on many pages, such as "How does it work?", identifies none of them. */
  const times = new Map<string, number>();
  for (const { text } of headingsOf.flat()) times.set(text, (times.get(text) ?? 0) + 1);
  const pages = sources.map(({ path, file, title, description, markdown }, index) => {
    const ask = (kind: string, question: string): void => {
      questions.push({
        id: `${corpus}-${kind}-${path}`,
        corpus: `${corpus}:${kind}`,
        question,
        relevant: [path],
      });
    };
    const headings = (headingsOf[index] ?? []).filter(({ text }) => times.get(text) === 1);
    const asking = headings.filter(({ text }) => asks.test(text));
    const naming = headings.filter(({ text }) => !asks.test(text));
    let left = markdown;
    for (const [kind, list] of [
      ['asked', asking],
      ['heading', naming],
    ] as const) {
      const chosen = list[hash(path + kind) % (list.length || 1)];
      if (!chosen) continue;
      left = left.replace(chosen.line, '');
      ask(kind, chosen.text);
    }
    if (description !== undefined && description.split(/\s+/).length >= minWords)
      ask('description', plain(description));
    return readPage({ file, path, markdown: left, title });
  });
  return { pages, questions: thin(questions) };
}

function plain(text: string): string {
  return text
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/[`*]/g, '')
    .trim();
}

/** Selects the same questions in every run, spread over the site. */
function thin(questions: Question[]): Question[] {
  const kept = new Map<string, Question[]>();
  for (const question of questions.toSorted((a, b) => hash(a.id) - hash(b.id))) {
    const list = kept.get(question.corpus) ?? [];
    if (list.length < maxOfAKind) kept.set(question.corpus, [...list, question]);
  }
  return [...kept.values()].flat();
}

function hash(text: string): number {
  let sum = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1)
    sum = Math.imul(sum ^ text.charCodeAt(at), 16_777_619) >>> 0;
  return sum;
}
