/** Where something is on the page: the anchor that leads to it, and the heading above it. */

import { cut } from './items.ts';

const anchors =
  ':is(h1, h2, h3, h4, h5, h6)[id], :is(h1, h2, h3, h4, h5, h6) [id], section[id], article[id]';
const headings = 'h1, h2, h3, h4, h5, h6';
const maxHeading = 120;

export function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}

/** The element, or the host of its outermost shadow tree. */
function inDocument(element: Element): Element {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? inDocument(root.host) : element;
}

function lastBefore(start: Element, selector: string): Element | undefined {
  let found: Element | undefined;
  for (const each of start.ownerDocument.querySelectorAll(selector)) {
    const isAfter =
      each !== start &&
      !each.contains(start) &&
      start.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (isAfter) break;
    found = each;
  }
  return found;
}

export function elementIdOf(element: Element): string | undefined {
  const start = inDocument(element);
  return (lastBefore(start, anchors) ?? start.closest('[id]'))?.id;
}

export function headingAbove(element: Element): string | undefined {
  const heading = lastBefore(inDocument(element), headings);
  return heading && textOfHeading(heading);
}

/** Without a theme's link signs and words for screen readers. */
export function textOfHeading(heading: Element): string | undefined {
  const walker = document.createTreeWalker(heading, NodeFilter.SHOW_ALL, (node) =>
    node instanceof Element && node.matches('[aria-hidden="true"], .sr-only, .visually-hidden')
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  let text = '';
  while (walker.nextNode()) if (walker.currentNode instanceof Text) text += walker.currentNode.data;
  const words = text
    .replace(/\s+/g, ' ')
    .replace(/[#¶§\u200b🔗\s]+$/u, '')
    .trim();
  return cut(words, maxHeading) || undefined;
}

const maxQuestions = 3;
const maxCharacters = 80;

/** The headings of the page's sections. A single word says too little without the page's title. */
export function pageHeadings(): string[] {
  const content = document.querySelector('main, [role=main], article') ?? document.body;
  const titleElement = content.querySelector('h1');
  const title = titleElement && textOfHeading(titleElement);
  const questions = new Set<string>();
  for (const element of content.querySelectorAll('h2')) {
    if (element.closest('nav, aside, footer, header, [hidden]')) continue;
    const words = textOfHeading(element);
    const question =
      words && (/\s|[\u0100-\uffff]/.test(words) ? words : title && `${title}: ${words}`);
    if (question && question.length <= maxCharacters) questions.add(question);
  }
  return [...questions].slice(0, maxQuestions);
}
