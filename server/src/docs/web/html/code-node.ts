/** Reads a code block with its language and title, from the HTML of Prism, Shiki, highlight.js, or Pygments. */
import { trimEndOf } from '../../../platform/text.ts';
import type { Element } from 'hast';
import type { Node } from '../../markdown/nodes.ts';
import {
  childrenOf,
  classesOf,
  find,
  findAll,
  hasClass,
  type HtmlNode,
  isElement,
  isTag,
  plainText,
  property,
} from './elements.ts';

/** `around` are the elements that contain the block, nearest first. */
export function codeNode(pre: Element, around: readonly Element[]): Node {
  const code = find(pre, isTag('code'));
  const near = [code, pre, ...around.slice(0, 4)].filter((one) => one !== undefined);
  const title = titleIn(around.slice(0, 4));
  return {
    type: 'code',
    value: trimEndOf(codeText(code ?? pre), '\n'),
    lang: near.map(languageOf).find((name) => name !== '') ?? null,
    meta: title ? `title="${title.replaceAll('"', '')}"` : null,
  };
}

/** A line ends with a newline, a `<br>`, or the end of a block element. */
function codeText(node: HtmlNode): string {
  let text = '';
  const visit = (one: HtmlNode): void => {
    if (one.type === 'text') text += one.value.replaceAll(/[\u200B\uFEFF]/g, '');
    if (!isElement(one)) return childrenOf(one).forEach(visit);
    if (one.tagName === 'br') text += '\n';
    const isLine = /^(div|li|tr|p)$/.test(one.tagName);
    if (isLine && text !== '' && !text.endsWith('\n')) text += '\n';
    childrenOf(one).forEach(visit);
    if (isLine && !text.endsWith('\n')) text += '\n';
  };
  childrenOf(node).forEach(visit);
  return text.replaceAll('\r\n', '\n').replace(/^\n/, '');
}

function languageOf(element: Element): string {
  const data = property(element, 'dataLanguage') || property(element, 'dataLang');
  if (data) return known(data);
  const classes = classesOf(element);
  for (const name of classes) {
    const found = /^(?:language|lang|brush|highlight(?:-source)?|sourceCode)-([\w+#.-]+)$/.exec(
      name,
    );
    if (found?.[1]) return known(found[1]);
  }
  // highlight.js writes the language as a second class.
  const beside = classes.includes('hljs') ? classes.find((name) => name !== 'hljs') : undefined;
  return beside === undefined ? '' : known(beside);
}

function known(language: string): string {
  const name = language.toLowerCase();
  return /^(none|undefined|plaintext|nohighlight|default|notranslate|ansi|wrap.*)$/.test(name)
    ? ''
    : name;
}

/** Returns the file name that some generators show above the code. */
function titleIn(around: readonly Element[]): string {
  for (const element of around) {
    // An element with several code blocks has no title for this one.
    if (!/^(figure|div|span)$/.test(element.tagName)) break;
    if (findAll(element, isTag('pre')).length > 1) break;
    const title = find(element, isCodeTitle);
    if (title) return plainText(title);
  }
  return '';
}

export function isCodeTitle(element: Element): boolean {
  return (
    element.tagName === 'figcaption' ||
    element.properties['dataRehypePrettyCodeTitle'] !== undefined ||
    hasClass(element, /^(codeBlockTitle.*|code-block-title|codeblock-title|code-title|filename)$/)
  );
}
