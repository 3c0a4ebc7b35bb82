/** The text that readers see of raw HTML in Markdown. A page can hold any HTML, so one pass reads all of it. */
import { decodeHTML } from 'entities';
import { type HtmlTag, tagsIn } from './html-tags.ts';

export function htmlText(html: string): string {
  return decodeHTML(withoutTags(html))
    .replaceAll(/[ \t\u00A0]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

const silent = /^(?:script|style|svg|template)$/;
const ownLine = /^(?:br|p|div|li|ul|ol|tr|table|details|summary|h[1-6]|section|blockquote)$/;

function withoutTags(html: string): string {
  let text = '';
  let done = 0;
  /** The element that is open and shows nothing. */
  let hidden: string | undefined;
  for (const tag of tagsIn(html)) {
    const isEnd = tag.source.startsWith('</');
    if (hidden === undefined) text += html.slice(done, tag.at) + shownBy(tag, isEnd);
    else if (isEnd && tag.name === hidden) hidden = undefined;
    done = tag.at + tag.source.length;
    const hides = tag.kind === 'tag' && !isEnd && silent.test(tag.name);
    // A script is one tag with its code.
    if (hides && tag.name !== 'script') hidden ??= tag.name;
  }
  return hidden === undefined ? text + html.slice(done) : text;
}

function shownBy({ kind, name, attributes, source, isClosed }: HtmlTag, isEnd: boolean): string {
  if (kind !== 'tag' || silent.test(name)) return '';
  // Not a tag, but `a < b`.
  if (!isClosed) return source;
  if (name === 'td' || name === 'th') return isEnd ? ' ' : '';
  if (ownLine.test(name)) return '\n';
  if (isEnd) return '';
  const valueOf = (wanted: RegExp) => attributes.find((one) => wanted.test(one.name))?.value;
  if (name === 'img') return valueOf(/^alt$/) ?? '';
  const label = /^<[A-Z]/.test(source) ? valueOf(/^(?:title|label|text)$/) : undefined;
  return label === undefined ? '' : `\n${label}\n`;
}
