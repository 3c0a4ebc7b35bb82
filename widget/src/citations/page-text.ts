/** The text of a page, or of one section of it, with the way back from its words to its nodes. */

const blocks =
  /^(address|article|aside|blockquote|br|dd|div|dl|dt|figcaption|figure|h[1-6]|hr|li|main|ol|p|pre|section|summary|table|tbody|td|th|thead|tr|ul)$/;
const silent =
  'script, style, noscript, template, button, select, textarea, docent-widget, [hidden]';

export interface PageText {
  /** Blocks end with a line end. */
  text: string;
  /** From the first to behind the last of these characters. */
  range: (start: number, end: number) => Range;
}

/** What lies from one element on to the other, neither of which need be given. */
export function readText(root: Element, from?: Element, until?: Element): PageText {
  const starts: number[] = [];
  const nodes: Text[] = [];
  let text = '';
  const isOutside = (element: Element): boolean => {
    if (from && !from.contains(element) && !element.contains(from)) {
      const isBefore = from.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_PRECEDING;
      if (isBefore) return true;
    }
    if (!until || element.contains(until)) return false;
    return (
      element === until ||
      !!(until.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)
    );
  };
  const visit = (node: Node): void => {
    if (node instanceof Text) {
      const parent = node.parentElement;
      if (!parent || !node.data || isBeside(node)) return;
      starts.push(text.length);
      nodes.push(node);
      text += node.data;
    } else if (node instanceof Element) {
      if (node.matches(silent) || isOutside(node)) return;
      const isBlock = blocks.test(node.localName);
      if (isBlock && !text.endsWith('\n')) text += '\n';
      node.childNodes.forEach(visit);
      if (isBlock && !text.endsWith('\n')) text += '\n';
    }
  };
  /** Text beside `from` and `until`, in an element that holds them. */
  const isBeside = (node: Text): boolean =>
    (!!from && !!(from.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING)) ||
    (!!until && !!(until.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING));
  visit(root);

  const placeOf = (at: number): [Text, number] | undefined => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    const node = nodes[low];
    return node && [node, Math.min(Math.max(at - (starts[low] ?? 0), 0), node.length)];
  };
  return {
    text,
    range(start, end) {
      const range = new Range();
      const first = placeOf(start);
      const last = placeOf(end - 1);
      if (first) range.setStart(...first);
      if (last) range.setEnd(last[0], Math.min(last[1] + 1, last[0].length));
      return range;
    },
  };
}
