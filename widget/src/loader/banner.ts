/** Cookie banners and bars at the bottom of a page: the launcher and the panel stay above them. */

/** Changes of a page come in crowds; one look at it after each is enough. */
const settleMs = 200;
/** A card may float this high, and is still at the bottom. */
const nearBottomPx = 40;

/**
 * Gives what looks at the place where the launcher rests, to be called whenever the page changed;
 * nothing runs in between.
 */
export function stayAboveBanners(element: HTMLElement, launcher: Element): () => unknown {
  let raise = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    timer = undefined;
    const rest = launcher.getBoundingClientRect();
    // Away from this page, or inline.
    if (!rest.width) return;
    const x = rest.left + rest.width / 2;
    let needed = 0;
    for (const y of [rest.top + raise, rest.bottom + raise]) {
      for (const outer of document.elementsFromPoint(x, y)) {
        if (outer === element) continue;
        // Consent tools like to live in a shadow root.
        for (const found of [outer, ...(outer.shadowRoot?.elementsFromPoint(x, y) ?? [])]) {
          const { top, bottom, height } = found.getBoundingClientRect();
          const isBanner =
            /fixed|sticky/.test(getComputedStyle(found).position) &&
            innerHeight - bottom < nearBottomPx &&
            // A page-high drawer is nothing to climb over.
            height < innerHeight / 2;
          if (isBanner) needed = Math.max(needed, innerHeight - top);
        }
      }
    }
    if (needed !== raise) element.style.setProperty('--docent-raise', `${(raise = needed)}px`);
  };
  return () => (timer ??= setTimeout(look, settleMs));
}
