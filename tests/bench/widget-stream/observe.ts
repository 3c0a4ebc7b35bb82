/**
 * What is watched inside a page while an answer grows. These functions run in the browser, so each
 * stands alone. Widgets live in shadow roots, some nested, some closed: all are opened and known.
 */

declare global {
  interface Window {
    bench: {
      roots: ShadowRoot[];
      onRoot: (root: ShadowRoot) => void;
      longTasks: number[];
      deepQuery: (selector: string) => Element | undefined;
      textNode: (words: string) => { node: Text; at: number } | undefined;
      scrollerOf: (node: Node) => Element;
      isCounting: boolean;
      removed: number;
      removedInAll: number;
      wheels: number;
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
    window.bench.onRoot(root);
    return root;
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) longTasks.push(entry.duration);
  }).observe({ type: 'longtask' });
  const all = () => [document, ...roots];
  window.bench = {
    roots,
    onRoot: () => {},
    longTasks,
    isCounting: false,
    removed: 0,
    removedInAll: 0,
    wheels: 0,
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

/**
 * Counts the nodes that are taken out of the conversation from the answer's first words on, alone
 * and with all that they held. Called before the question is sent: every root is watched, those to come as well,
 * and what a conversation's element is shows when something changes. Before the first words, dots
 * that say "thinking" go rightly.
 */
export function watchRemovals({ log, begin }: { log: string; begin: string }): void {
  const above = (node: Node): Node | null =>
    node instanceof ShadowRoot ? node.host : node.parentNode;
  const topOf = (node: Node): Node => {
    let at = node;
    for (let next = above(at); next; next = above(at)) at = next;
    return at;
  };
  const isInside = (node: Node): boolean => {
    for (let at: Node | null = node; at; at = above(at))
      if (at instanceof Element && at.matches(log)) return true;
    return false;
  };
  const size = (node: Node): number => {
    let count = 1;
    for (const child of node.childNodes) count += size(child);
    return count;
  };
  const count = (records: MutationRecord[]) => {
    const removals = records.filter(({ removedNodes }) => removedNodes.length);
    const gone = new Set(
      removals.flatMap(({ target, removedNodes }) => (isInside(target) ? [...removedNodes] : [])),
    );
    if (!window.bench.isCounting) {
      window.bench.isCounting =
        records.some(({ target }) => isInside(target)) && Boolean(window.bench.textNode(begin));
      return;
    }
    for (const { target, removedNodes } of removals)
      // Emptied first and taken out then: both count.
      if (isInside(target) || gone.has(topOf(target)))
        for (const node of removedNodes) {
          window.bench.removed += 1;
          window.bench.removedInAll += size(node);
        }
  };
  const observer = new MutationObserver(count);
  const watch = (root: Node) =>
    observer.observe(root, { childList: true, subtree: true, characterData: true });
  watch(document);
  for (const root of window.bench.roots) watch(root);
  window.bench.onRoot = watch;
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
