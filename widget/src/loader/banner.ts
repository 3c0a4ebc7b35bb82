/** Keeps the launcher and the panel above cookie banners at the bottom of a page. */

/** Pages change in bursts. */
const settleMs = 200;
/** A banner may float this high above the bottom. */
const nearBottomPx = 40;

/** Returns a function to call whenever the page has changed. */
export function stayAboveBanners(element: HTMLElement, launcher: Element): () => unknown {
  let raise = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const measure = () => {
    timer = undefined;
    const rest = launcher.getBoundingClientRect();
    // The widget is hidden, or inline.
    if (!rest.width) return;
    const x = rest.left + rest.width / 2;
    let needed = 0;
    for (const y of [rest.top + raise, rest.bottom + raise]) {
      for (const outer of document.elementsFromPoint(x, y)) {
        if (outer === element) continue;
        // Consent tools often use a shadow root.
        for (const found of [outer, ...(outer.shadowRoot?.elementsFromPoint(x, y) ?? [])]) {
          const { top, bottom, height } = found.getBoundingClientRect();
          const isBanner =
            innerHeight - bottom < nearBottomPx &&
            // A drawer of the page's height isn't a banner.
            height < innerHeight / 2 &&
            // Last, because it costs the most.
            /fixed|sticky/.test(getComputedStyle(found).position);
          if (isBanner) needed = Math.max(needed, innerHeight - top);
        }
      }
    }
    if (needed !== raise) element.style.setProperty('--docent-raise', `${(raise = needed)}px`);
  };
  return () => (timer ??= setTimeout(measure, settleMs));
}
