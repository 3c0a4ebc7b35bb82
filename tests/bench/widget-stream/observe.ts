/**
 * What is watched inside a page while an answer grows. These functions run in the browser, so each
 * stands alone. Widgets live in shadow roots, some nested, some closed: all are opened and known.
 */

interface Seen {
  /** Nodes that left the conversation, each with all that it held, from the first word on. */
  removed: number;
  /** Copy buttons of code blocks that were there at half time, and are still the same at the end. */
  copyButtons: { before: number; kept: number };
}

declare global {
  interface Window {
    bench: {
      roots: ShadowRoot[];
      longTasks: number[];
      deepQuery: (selector: string) => Element | undefined;
      textNode: (words: string) => { node: Text; at: number } | undefined;
      scrollerOf: (node: Node) => Element;
      removed: number;
      watched: Element[];
      selected?: { root: Document | ShadowRoot; node: Node; text: string };
    };
  }
}

/** Before any script of the page. */
export function prepare(): void {
  const roots: ShadowRoot[] = [];
  const longTasks: number[] = [];
  // eslint-disable-next-line typescript/unbound-method -- called with its element below
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attachOpen(init) {
    const root = attach.call(this, { ...init, mode: 'open' });
    roots.push(root);
    return root;
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longTasks.push(entry.duration);
  }).observe({ type: 'longtask' });
  const all = () => [document, ...roots];
  window.bench = {
    roots,
    longTasks,
    removed: 0,
    watched: [],
    deepQuery: (selector) => {
      for (const root of all()) {
        const found = root.querySelector(selector);
        if (found) return found;
      }
      return undefined;
    },
    textNode: (words) => {
      for (const root of all()) {
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const at = (node as Text).data.indexOf(words);
          if (at >= 0 && node.parentElement?.getClientRects().length)
            return { node: node as Text, at };
        }
      }
      return undefined;
    },
    scrollerOf: (node) => {
      let at: Node | null = node;
      while (at) {
        if (at instanceof Element && at.scrollHeight > at.clientHeight + 1) {
          if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
        }
        at = at instanceof ShadowRoot ? at.host : at.parentNode;
      }
      return document.documentElement;
    },
  };
}

/** Counts what is taken out of the conversation from now on. */
export function watchRemovals(selector: string): boolean {
  const log = window.bench.deepQuery(selector);
  if (!log) return false;
  const size = (node: Node): number => {
    let count = 1;
    for (const child of node.childNodes) count += size(child);
    return count;
  };
  const count = (records: MutationRecord[]) => {
    for (const { removedNodes } of records)
      for (const node of removedNodes) window.bench.removed += size(node);
  };
  const options = { childList: true, subtree: true };
  const observer = new MutationObserver(count);
  observer.observe(log, options);
  // Widgets that nest shadow roots inside their conversation.
  for (const root of window.bench.roots)
    if (log.contains(root.host)) observer.observe(root, options);
  return true;
}

/** Selects words of a finished paragraph, as a reader would; and notes the copy buttons. */
export function selectWords({ words, copy }: { words: string; copy: string }): boolean {
  const found = window.bench.textNode(words);
  if (!found) return false;
  const { node, at } = found;
  const root = node.getRootNode() as Document | ShadowRoot;
  const of = root as unknown as { getSelection?: () => Selection | null };
  const selection = of.getSelection?.() ?? document.getSelection();
  selection?.setBaseAndExtent(node, at, node, at + words.length);
  window.bench.selected = { root, node, text: String(selection) };
  const log = [document, ...window.bench.roots];
  window.bench.watched = copy ? log.flatMap((each) => [...each.querySelectorAll(copy)]) : [];
  return String(selection) === words;
}

/** Whether the same words in the same node are selected still. */
export function isSelectionKept(): boolean {
  const { selected } = window.bench;
  if (!selected) return false;
  const of = selected.root as unknown as { getSelection?: () => Selection | null };
  const selection = of.getSelection?.() ?? document.getSelection();
  return selected.node.isConnected && String(selection) === selected.text && selected.text !== '';
}
