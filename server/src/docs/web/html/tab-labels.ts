/** Finds the labels of tab panels. */
import type { Element } from 'hast';
import {
  childrenOf,
  find,
  findAll,
  hasClass,
  type HtmlNode,
  isElement,
  isTag,
  plainText,
  property,
} from './elements.ts';

export interface Tabs {
  labels: Map<Element, string>;
  /** Rows of labels. They are left out, because each label is shown above its panel. */
  bars: Set<Element>;
}

export function findTabs(root: HtmlNode): Tabs {
  const tabs: Tabs = { labels: new Map(), bars: new Set() };
  const parents = new Map<HtmlNode, Element>();
  const note = (node: HtmlNode): void => {
    for (const child of childrenOf(node)) {
      if (isElement(node)) parents.set(child, node);
      note(child);
    }
  };
  note(root);
  for (const bar of findAll(root, isBar)) {
    tabs.bars.add(bar);
    const names = labelsOf(bar);
    const box = boxOf(bar, isPanel);
    // Tabs may be nested. A panel belongs to the nearest bar.
    const panels = box ? findAll(box, isPanel).filter((one) => boxOf(one, isBar) === box) : [];
    for (const [index, panel] of panels.entries()) {
      const by = property(panel, 'ariaLabelledBy');
      const named = by && names.find((one) => property(one, 'id') === by);
      const label = named || names[index];
      if (label && !tabs.labels.has(panel)) tabs.labels.set(panel, plainText(label));
    }
  }
  return tabs;

  /** The nearest element around another that contains such ones. */
  function boxOf(element: Element, fits: (one: Element) => boolean): Element | undefined {
    let box = parents.get(element);
    while (box && findAll(box, fits).length === 0) box = parents.get(box);
    return box;
  }
}

function isBar(element: Element): boolean {
  if (property(element, 'role') === 'tablist') return true;
  // Material for MkDocs; VitePress code groups.
  const isGroup = hasClass(element, /^tabs$/) && find(element, isTag('label')) !== undefined;
  return isGroup || hasClass(element, /^tabbed-labels$/);
}

function labelsOf(bar: Element): Element[] {
  const tabs = findAll(bar, (one) => property(one, 'role') === 'tab');
  return tabs.length > 0 ? tabs : findAll(bar, isTag('label'));
}

function isPanel(element: Element): boolean {
  return (
    property(element, 'role') === 'tabpanel' || hasClass(element, /^(tabbed-block|vp-code-block)$/)
  );
}
