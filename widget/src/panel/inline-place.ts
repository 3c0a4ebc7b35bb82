/** Places an inline panel in the page, and loads it when the reader is near. */
import type { Boot } from '../loader/boot.ts';
import { warn } from '../loader/warn.ts';

const rootMargin = '400px';

/** Returns a function that places it. Later changes of the page are observed. */
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
      // An application may still draw it.
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
