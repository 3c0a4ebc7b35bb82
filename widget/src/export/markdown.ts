/** A conversation as Markdown, for notes, tickets and mails; loaded when a reader takes one along. */
import { safeUrl } from '../markdown/safe-url.ts';
import type { Message, Source } from '../message.ts';
import type { ContextItem } from '@docent/shared/assistant';

/** What a document says of itself, in the reader's language. */
export interface ExportText {
  sources: string;
  stopped: string;
  interrupted: string;
  emptyAnswer: string;
}

const longestHeading = 120;

/** Absolute, and without what would end a link in Markdown. */
function addressOf({ url }: Pick<Source, 'url'>): string | undefined {
  const safe = safeUrl(url);
  if (!safe) return undefined;
  return new URL(safe, location.href).href.replaceAll('(', '%28').replaceAll(')', '%29');
}

const escape = (text: string): string => text.replace(/[\\`*_[\]<>#|]/g, '\\$&');
const oneLine = (text: string): string => text.trim().replace(/\s+/g, ' ');
const quote = (text: string): string => text.trim().replace(/^/gm, '> ');

/** Longer than any fence in the code. */
function fenceFor(code: string): string {
  const longest = Math.max(2, ...Array.from(code.matchAll(/`+/g), ([ticks]) => ticks.length));
  return '`'.repeat(longest + 1);
}

/** Prose only: what stands in code is as it was written. */
function mapProse(markdown: string, change: (prose: string) => string): string {
  let fence: string | undefined;
  return markdown
    .split('\n')
    .map((line) => {
      const found = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence !== undefined) {
        if (found?.startsWith(fence)) fence = undefined;
        return line;
      }
      fence = found;
      if (found) return line;
      // Every second piece is code.
      return line
        .split(/(`+[^`]*`+)/)
        .map((piece, at) => (at % 2 ? piece : change(piece)))
        .join('');
    })
    .join('\n');
}

/** `[1]` and `[1, 2]` as links to what they cite. */
function linkCitations(answer: string, sources: readonly Source[]): string {
  const addresses = new Map(sources.map((source) => [source.id, addressOf(source)]));
  return mapProse(answer, (prose) =>
    prose.replace(/\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\](?![(:])/g, (all, list: string) => {
      const links = list.split(',').map((number) => {
        const address = addresses.get(number.trim());
        return address && `[${number.trim()}](${address})`;
      });
      return links.every(Boolean) ? links.join(', ') : all;
    }),
  );
}

/** Its headings stand below those of the document. */
const lowerHeadings = (answer: string): string =>
  mapProse(answer, (prose) => prose.replace(/^(#{1,4})(?= )/, '##$1'));

function listSources(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const address = addressOf(source);
    return address ? [`${source.id}. [${escape(oneLine(source.title))}](${address})`] : [];
  });
}

/** One answer with what it rests on. */
export function answerToMarkdown({ text, sources }: Pick<Message, 'text' | 'sources'>): string {
  const list = listSources(sources).join('\n');
  const answer = linkCitations(text.trim(), sources);
  return list ? `${answer}\n\n---\n\n${list}\n` : `${answer}\n`;
}

function contextToMarkdown({ type, value, path }: ContextItem): string {
  const from = path ? `\`${path.replaceAll('`', '')}\`\n\n` : '';
  if (type !== 'code') return from + quote(value);
  const fence = fenceFor(value);
  return `${from}${fence}\n${value.replace(/\n$/, '')}\n${fence}`;
}

function questionToMarkdown({ text, context }: Message): string {
  const line = oneLine(text);
  const isWhole = line === text.trim() && line.length <= longestHeading;
  const isLong = line.length > longestHeading;
  const heading = isLong ? `${line.slice(0, longestHeading).trimEnd()}…` : line;
  return [
    `## ${escape(heading)}`,
    ...(isWhole ? [] : [quote(text)]),
    ...context.map(contextToMarkdown),
  ].join('\n\n');
}

export function conversationToMarkdown(
  title: string,
  messages: readonly Message[],
  say: ExportText,
): string {
  const parts = messages.map((message) => {
    if (message.role === 'user') return questionToMarkdown(message);
    const { text, sources, ended } = message;
    const list = listSources(sources);
    return [
      text ? linkCitations(lowerHeadings(text.trim()), sources) : `*${say.emptyAnswer}*`,
      ...(ended ? [`*${ended === 'stopped' ? say.stopped : say.interrupted}*`] : []),
      ...(list.length ? [`**${say.sources}**`, list.join('\n')] : []),
    ].join('\n\n');
  });
  return `${[`# ${escape(oneLine(title))}`, ...parts].join('\n\n')}\n`;
}
