/**
 * Lets Tab reach an offered button, which stands at the end of the page, from the reader's place
 * and continue from there.
 */
const tabbable =
  'a[href], button, input, select, textarea, summary, iframe, audio[controls], video[controls], [tabindex], [contenteditable]';

function isTabbable(element: Element): element is HTMLElement {
  return (
    element instanceof HTMLElement &&
    element.tabIndex >= 0 &&
    !element.matches(':disabled') &&
    (element.checkVisibility?.({ visibilityProperty: true }) ?? true)
  );
}

/** The next element outside this node that Tab would reach. */
function nextAfter(node: Node): HTMLElement | undefined {
  const root = node.getRootNode() as Document | ShadowRoot;
  for (const element of root.querySelectorAll(tabbable)) {
    const isAfter = node.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (isAfter && !node.contains(element) && isTabbable(element)) return element;
  }
  return undefined;
}

/** As in offer-button.ts. */
interface Reach {
  button: HTMLElement;
  from: (event: KeyboardEvent) => Node | undefined;
  onDismiss: () => void;
  signal: AbortSignal;
}

export function reachByTab({ button, from, onDismiss, signal }: Reach): void {
  let origin: Node | undefined;
  let back: HTMLElement | undefined;
  const isInside = () => (button.getRootNode() as ShadowRoot).activeElement === button;
  const leave = (event: KeyboardEvent) => {
    const next = event.key === 'Tab' && !event.shiftKey && origin ? nextAfter(origin) : back;
    if (!next) return button.blur();
    event.preventDefault();
    next.focus();
  };
  document.addEventListener(
    'keydown',
    (event) => {
      const isTab = event.key === 'Tab' && !event.altKey && !event.ctrlKey && !event.metaKey;
      if (event.defaultPrevented || button.hidden) return;
      if (isInside()) {
        if (event.key === 'Escape') {
          leave(event);
          onDismiss();
        } else if (isTab) leave(event);
        return;
      }
      if (event.key === 'Escape') return onDismiss();
      const start = isTab && !event.shiftKey ? from(event) : undefined;
      if (!start) return;
      origin = start;
      const { activeElement } = document;
      back =
        activeElement instanceof HTMLElement && activeElement !== document.body
          ? activeElement
          : undefined;
      event.preventDefault();
      button.focus({ preventScroll: true });
    },
    { signal, capture: true },
  );
}
