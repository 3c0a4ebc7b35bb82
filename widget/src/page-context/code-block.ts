/** Finds a block of code on the page, in any theme. */

/** Themes wrap a block in elements for titles, buttons, and line numbers. */
const maxWrappers = 4;
const maxExtraPx = 120;

export interface CodeBlock {
  pre: HTMLElement;
  /** The block with everything that its theme put around it. */
  wrapper: HTMLElement;
}

const isElement = (node: Node | null | undefined): node is HTMLElement =>
  node instanceof HTMLElement;

function hasOnlyLineNumbers(pre: Element): boolean {
  return pre.closest('.linenos, .lineno, .gutter, .rouge-gutter') !== null;
}

function codeIn(element: Element): HTMLElement | undefined {
  const found = [...element.querySelectorAll('pre')].filter((pre) => !hasOnlyLineNumbers(pre));
  return found.length === 1 ? found[0] : undefined;
}

function wrapperOf(pre: HTMLElement): HTMLElement {
  let wrapper = pre;
  const { height } = pre.getBoundingClientRect();
  for (let count = 0; count < maxWrappers; count++) {
    const parent = wrapper.parentElement;
    if (!parent || parent === document.body || codeIn(parent) !== pre) break;
    if (parent.getBoundingClientRect().height > height + maxExtraPx) break;
    if (parent.matches('main, article, section, li, blockquote, td')) break;
    wrapper = parent;
  }
  return wrapper;
}

/** The block around an element. `isNear`: also if the element is only in the block's wrapper. */
export function blockOf(element: Node | null | undefined, isNear = false): CodeBlock | undefined {
  if (!(element instanceof Element)) return undefined;
  let pre: HTMLElement | null = element.closest('pre');
  if (pre && hasOnlyLineNumbers(pre)) {
    const table = pre.closest('table, figure, .highlight');
    pre = (table && codeIn(table)) ?? null;
  }
  if (pre) return { pre, wrapper: wrapperOf(pre) };
  if (!isNear) return undefined;
  let around: Element | null = element;
  for (let count = 0; around && count <= maxWrappers; count++, around = around.parentElement) {
    const code = codeIn(around);
    if (!code) continue;
    const wrapper = wrapperOf(code);
    return wrapper.contains(element) ? { pre: code, wrapper } : undefined;
  }
  return undefined;
}

/** The theme's own controls over the code. */
export function obstaclesOf({ pre, wrapper }: CodeBlock): DOMRect[] {
  const own = pre.getBoundingClientRect();
  const boxes: DOMRect[] = [];
  for (const element of wrapper.querySelectorAll('*')) {
    if (!isElement(element) || (pre.contains(element) && element.closest('code'))) continue;
    const isControl = element.matches('button, a, [role="button"], input, summary');
    if (!isControl && getComputedStyle(element).position !== 'absolute') continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.height > 0 && box.width < own.width * 0.6) boxes.push(box);
  }
  return boxes;
}
