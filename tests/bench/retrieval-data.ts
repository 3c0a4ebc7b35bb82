import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readPage } from '../../server/src/docs/pages/read-page.ts';
import type { Page } from '../../server/src/retrieval/retriever.ts';

export interface Question {
  id: string;
  corpus: string;
  question: string;
  relevant: string[];
  sections?: Section[];
}

/** The section that answers, where the labels say it. */
export interface Section {
  path: string;
  heading: string;
}

interface Document {
  path: string;
  title: string;
  description?: string;
  markdown: string;
}

/** Every `docs/<corpus>.jsonl`, read by the code that reads a site's files. */
export async function readCorpora(root: string): Promise<Map<string, Page[]>> {
  const folder = join(root, 'docs');
  const names = await readdir(folder).catch(() => {
    throw new Error(
      `There are no documents in ${folder}; give the folder with docs/ and questions.jsonl as --docs.`,
    );
  });
  const corpora = new Map<string, Page[]>();
  for (const name of names.filter((one) => one.endsWith('.jsonl')).sort()) {
    const pages = (await readLines<Document>(join(folder, name))).map(
      ({ path, title, description, markdown }) =>
        readPage({
          // The data don't say which pages are MDX, so pages that look like it are parsed as MDX.
          file: `${path.replace(/^\/|\/$/g, '')}.md`,
          path,
          markdown,
          title,
          description,
        }),
    );
    corpora.set(name.replace('.jsonl', ''), pages);
  }
  return corpora;
}

export async function readQuestions(root: string): Promise<Question[]> {
  const names = (await readdir(root)).filter((name) => /^questions.*\.jsonl$/.test(name)).sort();
  const lists = await Promise.all(names.map((name) => readLines<Question>(join(root, name))));
  return lists.flat();
}

async function readLines<Line>(file: string): Promise<Line[]> {
  const text = await readFile(file, 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}
