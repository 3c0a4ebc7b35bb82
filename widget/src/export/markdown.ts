/** Writes a conversation as Markdown. */
import type { ContextItem } from '@docent/shared/assistant';
import { clip, oneLine } from '../chat/limits.ts';
import { safeUrl } from '../markdown/safe-url.ts';
import type { Ending, Message, Source } from '../chat/message.ts';
import { stampOf } from '../panel/formats.ts';
import type { Text } from '../text/text.ts';
import { type WriteOptions, asText, fenceFor, inLink, writeAnswer } from './answer.ts';

type ExportText = Pick<
  Text,
  Ending | 'sources' | 'emptyAnswer' | 'picture' | 'asOf' | 'asOfVersion'
>;

const maxHeading = 120;

const addressOf = ({ url }: Pick<Source, 'url'>): string | undefined => {
  const safe = safeUrl(url);
  return safe && inLink(safe);
};

const escape = (text: string): string => text.replace(/[\\`*_[\]<>#|]/g, '\\$&');
const quote = (text: string): string => asText(text.trim()).replace(/^/gm, '> ');

const optionsFor = (
  sources: readonly Source[],
  { picture }: Pick<ExportText, 'picture'>,
  lowerBy = 0,
): WriteOptions => {
  const addresses = new Map(sources.map(({ id, url }) => [id, safeUrl(url)]));
  return { cite: (id) => addresses.get(id), picture, lowerBy };
};

function listSources(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const address = addressOf(source);
    return address ? [`${source.id}. [${escape(oneLine(source.title))}](${address})`] : [];
  });
}

export function answerToMarkdown(
  { text, sources }: Pick<Message, 'text' | 'sources'>,
  labels: Pick<ExportText, 'picture'>,
): string {
  const list = listSources(sources).join('\n');
  const answer = writeAnswer(text, optionsFor(sources, labels));
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
  const heading = clip(line, maxHeading);
  return [
    `## ${escape(heading)}`,
    ...(heading === text.trim() ? [] : [quote(text)]),
    ...context.map(contextToMarkdown),
  ].join('\n\n');
}

export function conversationToMarkdown(
  title: string,
  messages: readonly Message[],
  labels: ExportText,
): string {
  const sections = messages.map((message) => {
    if (message.role === 'user') return questionToMarkdown(message);
    const { text, sources, ended } = message;
    const list = listSources(sources);
    return [
      text ? writeAnswer(text, optionsFor(sources, labels, 2)) : `*${labels.emptyAnswer}*`,
      ...(ended ? [`*${labels[ended]}*`] : []),
      ...(list.length ? [`**${labels.sources}**`, list.join('\n')] : []),
      ...(message.asOf ? [`*${escape(stampOf(message, labels))}*`] : []),
    ].join('\n\n');
  });
  return `${[`# ${escape(oneLine(title))}`, ...sections].join('\n\n')}\n`;
}
