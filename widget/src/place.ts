/** Where in the page the widget is: at the end of the body, or inline where the owner wants it. */
import type { Settings } from './settings.ts';
import { warn } from './warn.ts';

/** An inline panel is loaded when the reader is this near. */
const rootMargin = '400px';

/** `onNear`: an inline panel is about to be seen. */
export function placeWidget(
  element: HTMLElement,
  { layout, target }: Pick<Settings, 'layout' | 'target'>,
  tag: HTMLElement | undefined,
  signal: AbortSignal,
  onNear: () => void,
): void {
  if (layout !== 'inline') return document.body.append(element);
  const place = (): unknown => {
    const found = target && document.querySelector(target);
    if (found) found.append(element);
    else if (!target && tag?.closest('body')) tag.after(element);
    else if (document.readyState === 'loading')
      // The page has not come that far yet.
      return addEventListener('DOMContentLoaded', place, { once: true, signal });
    else return warn(`inline: nothing on this page is data-target="${target ?? ''}"`);
    const watch = new IntersectionObserver(
      (seen) => {
        if (!seen.some(({ isIntersecting }) => isIntersecting)) return;
        watch.disconnect();
        onNear();
      },
      { rootMargin },
    );
    watch.observe(element);
    return signal.addEventListener('abort', () => watch.disconnect());
  };
  place();
}
