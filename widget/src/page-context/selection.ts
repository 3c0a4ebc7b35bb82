import { currentPath } from './page.ts';
import type { PageContext } from './items.ts';
import { codeText } from './code-text.ts';
import { elementIdOf, elementOf, headingAbove } from './page-location.ts';

const fields = 'input, textarea, select, [contenteditable]:not([contenteditable="false"])';

/** Browsers differ in how they report a selection inside a shadow tree. */
type SelectionOfTrees = Selection & {
  getComposedRanges?: (options: { shadowRoots: ShadowRoot[] }) => StaticRange[];
};
type RootWithSelection = ShadowRoot & { getSelection?: () => Selection | null };

export interface Selected {
  text: string;
  range: Range;
}

function rootAt(selection: Selection | null): ShadowRoot | undefined {
  const { anchorNode, anchorOffset = 0, isCollapsed } = selection ?? {};
  if (!anchorNode || !isCollapsed) return undefined;
  const [at, before] = [
    anchorNode.childNodes[anchorOffset],
    anchorNode.childNodes[anchorOffset - 1],
  ];
  const hosts = [at, before, anchorNode].filter((node) => node instanceof Element);
  return hosts.find(({ shadowRoot }) => shadowRoot)?.shadowRoot ?? undefined;
}

/** Selectors don't see past the panel's shadow root. */
const isOurs = (node: Node): boolean => {
  const root = node.getRootNode();
  return root instanceof ShadowRoot && root.host.localName === 'docent-widget';
};

/** `pressed`: the shadow tree in which the reader last pressed a pointer. */
export function readSelection(pressed?: ShadowRoot): Selected | undefined {
  const root = pressed ?? rootAt(getSelection());
  const selection: SelectionOfTrees | null =
    (root as RootWithSelection | undefined)?.getSelection?.() ?? getSelection();
  if (!selection?.rangeCount) return undefined;
  let range = selection.getRangeAt(0);
  const [composed] = root ? (selection.getComposedRanges?.({ shadowRoots: [root] }) ?? []) : [];
  if (composed && !composed.collapsed) {
    range = new Range();
    range.setStart(composed.startContainer, composed.startOffset);
    range.setEnd(composed.endContainer, composed.endOffset);
  }
  if (range.collapsed || isOurs(range.commonAncestorContainer)) return undefined;
  return { text: String(selection) || String(range), range };
}

/** `undefined` if there is no text, or it's in a field. */
export function contextOf(selected: Selected | undefined): PageContext | undefined {
  if (!selected) return undefined;
  const { range } = selected;
  const start = elementOf(range.startContainer);
  const around = elementOf(range.commonAncestorContainer);
  if (!start || !around) return undefined;
  if (around.closest(fields) || start.closest(fields)) return undefined;
  const code = around.closest('pre, code');
  const value = code ? codeText(code, range) : selected.text.trim();
  if (value.length < 2) return undefined;
  return {
    type: code ? 'code' : 'textSelection',
    value,
    path: currentPath(),
    elementId: elementIdOf(start),
    heading: headingAbove(start),
  };
}
