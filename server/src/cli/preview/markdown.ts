import { randomUUID } from 'node:crypto';
import { isTooMuch, type RunTaskOf } from '../../platform/workers/worker-pool.ts';
import { runInWorker } from '../../platform/workers/workers.ts';
import { Html, markup } from './html.ts';
import type { MarkdownText } from './markdown-html.ts';
import type { previewTasks } from './preview-tasks.ts';

const runPreviewTask = runInWorker as RunTaskOf<typeof previewTasks>;

type Options = Omit<MarkdownText, 'text'>;

/** Texts whose places are in pages that are being written, oldest first. */
const pending = new Map<string, MarkdownText>();
/** A page that failed leaves its texts behind. */
const maxPending = 10_000;

/** A place for Markdown, which `fillMarkdown` fills. */
export function renderMarkdown(text: string, options: Options): Html {
  const place = `<!--${randomUUID()}-->`;
  pending.set(place, { ...options, text });
  const [oldest] = pending.keys();
  if (pending.size > maxPending && oldest !== undefined) pending.delete(oldest);
  return new Html(place);
}

/** Fills the places for Markdown, which a worker writes. */
export async function fillMarkdown(html: string): Promise<string> {
  const places = [...html.matchAll(/<!--[0-9a-f-]{36}-->/g)].map(([place]) => place);
  const texts = places.flatMap((place) => pending.get(place) ?? []);
  for (const place of places) pending.delete(place);
  if (texts.length === 0) return html;
  const written = await runPreviewTask('markdownHtml', texts).catch((error: unknown) => {
    if (!isTooMuch(error)) throw error;
    return texts.map(({ text }) => markup`<pre>${text.slice(0, 200_000)}</pre>`.text);
  });
  const byPlace = new Map(places.map((place, index) => [place, written[index] ?? '']));
  return html.replaceAll(/<!--[0-9a-f-]{36}-->/g, (place) => byPlace.get(place) ?? place);
}
