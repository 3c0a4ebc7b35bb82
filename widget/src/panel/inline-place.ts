/** A panel that is part of the page: where it stands, and when it is about to be seen. */
import type { Boot } from '../loader/boot.ts';
import { warn } from '../loader/warn.ts';

/** It is loaded when the reader is this near. */
const rootMargin = '400px';

/** Returns what puts it in its place; after a change of the page that happens by itself. */
export function watchInlinePlace(boot: Boot, onNear: () => void): () => void {
  const { element, signal } = boot;
  let isMissing = false;
  let isWatching = false;

  const place = (): void => {
    watch();
    const { target } = boot.settings;
    const tag = boot.script;
    const found = typeof target === 'string' ? document.querySelector(target) : target;
    if (found) {
      if (element.parentNode !== found) found.append(element);
    } else if (!target && tag?.closest('body')) {
      if (tag.nextSibling !== element) tag.after(element);
    } else if (document.readyState !== 'loading' && !isMissing) {
      // It may come yet, as with an application that draws its pages itself.
      isMissing = true;
      warn(
        `inline: nothing on this page is data-target="${typeof target === 'string' ? target : ''}"`,
      );
    }
  };
  let frame = 0;
  const elements = new MutationObserver(() => {
    if (boot.settings.layout !== 'inline') return;
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      boot.place();
    });
  });
  const near = new IntersectionObserver(
    (seen) => {
      if (boot.settings.layout === 'inline' && seen.some((one) => one.isIntersecting)) onNear();
    },
    { rootMargin },
  );
  const watch = () => {
    if (isWatching) return;
    isWatching = true;
    near.observe(element);
    elements.observe(document.documentElement, { childList: true, subtree: true });
    signal.addEventListener('abort', () => {
      elements.disconnect();
      near.disconnect();
      cancelAnimationFrame(frame);
    });
  };
  return place;
}
