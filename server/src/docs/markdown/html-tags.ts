/** Splits HTML into tags as a browser does, in linear time, and finds the text that readers see. */
import { decodeHTML } from 'entities';

export interface HtmlTag {
  kind: 'tag' | 'comment' | 'instruction';
  /** In lower case; empty for comments and instructions. */
  name: string;
  attributes: { name: string; value: string | undefined }[];
  /** As written; of a script with all of its code. */
  source: string;
  /** Where it starts. */
  at: number;
  /** `false`: the text ends before the tag, or before the end of the script. */
  isClosed: boolean;
}

/** Browsers leave them out of an address, and people do not see them. */
// oxlint-disable-next-line no-control-regex -- exactly those are looked for
const skipped = /[\u0000-\u0008\u000e-\u001f\u00ad\u200b-\u200d\u2060\ufeff]/g;

export function decodeAttribute(text: string): string {
  return decodeHTML(text).replace(skipped, '');
}

const tagStart = /<(?:\/?[a-z]|[!?])/gi;
const tagName = /[^\t\n\f\r />]*/y;
const between = /[\t\n\f\r /]*/y;
const attributeName = /=?[^\t\n\f\r />=]*/y;
const equals = /[\t\n\f\r ]*=[\t\n\f\r ]*/y;
const bareValue = /[^\t\n\f\r >]*/y;
const commentEnd = /--!?>/g;
const scriptEnd = /<\/script(?=[\t\n\f\r />])/gi;

export function* tagsIn(html: string): Generator<HtmlTag, undefined> {
  let at = 0;
  while (at < html.length) {
    tagStart.lastIndex = at;
    const start = tagStart.exec(html)?.index;
    if (start === undefined) break;
    const tag = /[!?]/.test(html[start + 1] ?? '') ? instructionAt(start) : tagAt(start);
    yield tag;
    at = start + tag.source.length;
  }
  return undefined;

  function instructionAt(start: number): HtmlTag {
    const isComment = html.startsWith('<!--', start);
    const isEmpty = isComment && /^-?>/.test(html.slice(start + 4, start + 6));
    const end = isComment && !isEmpty ? find(commentEnd, start + 4) : find(/>/g, start + 2);
    return make(
      isComment ? 'comment' : 'instruction',
      start,
      end ?? html.length,
      end !== undefined,
    );
  }

  function tagAt(start: number): HtmlTag {
    let position = start + (html[start + 1] === '/' ? 2 : 1);
    const name = take(tagName).toLowerCase();
    const attributes: HtmlTag['attributes'] = [];
    let isClosed = false;
    while (position < html.length) {
      take(between);
      isClosed = html[position] === '>';
      if (isClosed || position >= html.length) break;
      attributes.push({ name: take(attributeName).toLowerCase(), value: takeValue() });
    }
    let end = isClosed ? position + 1 : html.length;
    if (isClosed && name === 'script' && html[start + 1] !== '/') {
      const endTag = find(scriptEnd, end);
      // Searched for once: without a `>`, the script has no end, however many end tags begin.
      const codeEnd = endTag === undefined ? undefined : find(/>/g, endTag);
      // In such a comment, the first end tag may not be the last.
      const isPlain = codeEnd !== undefined && !html.slice(end, codeEnd).includes('<!--');
      isClosed = isPlain;
      end = isPlain ? codeEnd : html.length;
    }
    return { ...make('tag', start, end, isClosed), name, attributes };

    function take(pattern: RegExp): string {
      pattern.lastIndex = position;
      const [text = ''] = pattern.exec(html) ?? [];
      position += text.length;
      return text;
    }

    function takeValue(): string | undefined {
      if (take(equals) === '') return undefined;
      const quote = html[position];
      if (quote !== '"' && quote !== "'") return decodeAttribute(take(bareValue));
      const close = html.indexOf(quote, position + 1);
      const value = html.slice(position + 1, close < 0 ? html.length : close);
      position = close < 0 ? html.length : close + 1;
      return decodeAttribute(value);
    }
  }

  function find(pattern: RegExp, from: number): number | undefined {
    pattern.lastIndex = from;
    const match = pattern.exec(html);
    return match ? match.index + match[0].length : undefined;
  }

  function make(kind: HtmlTag['kind'], at: number, end: number, isClosed: boolean): HtmlTag {
    return { kind, name: '', attributes: [], source: html.slice(at, end), at, isClosed };
  }
}

/** Every `id` and `name`, which are what a `#` in an address refers to. */
export function anchorsIn(html: string): Set<string> {
  const anchors = new Set<string>();
  for (const { attributes } of tagsIn(html)) {
    for (const { name, value } of attributes) {
      if (value !== undefined && (name === 'id' || name === 'name')) anchors.add(value);
    }
  }
  return anchors;
}

export function attributesIn({ html, tag: wanted }: { html: string; tag: string }) {
  const found: Record<string, string>[] = [];
  for (const { name, attributes } of tagsIn(html)) {
    if (name !== wanted) continue;
    found.push(Object.fromEntries(attributes.map((each) => [each.name, each.value ?? ''])));
  }
  return found;
}

/** The text that readers see of raw HTML in Markdown. A page can hold any HTML, so one pass reads all of it. */

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
