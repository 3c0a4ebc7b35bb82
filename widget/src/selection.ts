/** What a reader selected on the page, as context for a question. */
import type { ContextItem } from '@docent/shared/assistant';
import { currentPath } from './page.ts';

const longestValue = 8000;
const fields = 'input, textarea, select, [contenteditable]:not([contenteditable="false"])';

/** Places that a link can lead to: headings, anchors inside headings, sections with a name. */
const places =
  ':is(h1, h2, h3, h4, h5, h6)[id], :is(h1, h2, h3, h4, h5, h6) [id], section[id], article[id]';

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}

/** The id of the last place at or before the text, in the order of the page. */
function placeOf(start: Element): string | undefined {
  let found: Element | undefined;
  for (const place of start.ownerDocument.querySelectorAll(places)) {
    const isAfter =
      place !== start &&
      !place.contains(start) &&
      start.compareDocumentPosition(place) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (isAfter) break;
    found = place;
  }
  return (found ?? start.closest('[id]'))?.id;
}

/** `undefined` where there is nothing to ask about: no text, or text in a field. */
export function contextOf(selection: Selection | null): ContextItem | undefined {
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const value = selection.toString().trim();
  const range = selection.getRangeAt(0);
  const start = elementOf(range.startContainer);
  const around = elementOf(range.commonAncestorContainer);
  if (value.length < 2 || !start || !around) return undefined;
  if (around.closest(`${fields}, docent-widget`) || start.closest(fields)) return undefined;
  const elementId = placeOf(start);
  return {
    type: around.closest('pre, code') ? 'code' : 'textSelection',
    value: value.slice(0, longestValue),
    path: currentPath(),
    elementId,
  };
}
