/**
 * Where in the page the widget is: beside the body, or inline where the owner wants it. Beside, not
 * inside: routers such as Turbo's and Astro's put another body in its place, and keep copies of it.
 */
import type { Settings } from './settings.ts';
import { warn } from './warn.ts';

/** An inline panel is loaded when the reader is this near. */
const rootMargin = '400px';

export interface PlaceParts {
  element: HTMLElement;
  /** The tag that an inline panel without a target stands behind. */
  script: () => HTMLElement | undefined;
  settings: () => Pick<Settings, 'layout' | 'target'>;
  /** Not on this page, by the wish of its owner or its reader. */
  isAway: () => boolean;
  onAway: () => void;
  /** An inline panel is about to be seen. */
  onNear: () => void;
  signal: AbortSignal;
}

export function createPlace(parts: PlaceParts) {
  const { element, script, settings, isAway, signal } = parts;
  let isMissing = false;

  const place = (): void => {
    const { layout, target } = settings();
    if (isAway()) {
      parts.onAway();
      return element.remove();
    }
    if (layout !== 'inline') {
      if (element.parentNode !== document.documentElement && document.body)
        document.documentElement.append(element);
      return;
    }
    const tag = script();
    const found = typeof target === 'string' ? document.querySelector(target) : target;
    if (found) {
      if (element.parentNode !== found) found.append(element);
    } else if (!target && tag?.closest('body')) {
      if (tag.nextSibling !== element) tag.after(element);
    } else if (document.readyState !== 'loading' && !isMissing) {
      // It may come yet, as with an application that draws its pages itself.
      isMissing = true;
      warn(`inline: nothing on this page is data-target="${String(target ?? '')}"`);
    }
  };

  // In the next frame, before it is painted: with a page that throws us out again and again,
  // answering at once would never end.
  let frame = 0;
  const soon = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      place();
    });
  };
  const elements = new MutationObserver(soon);
  const near = new IntersectionObserver(
    (seen) => {
      if (settings().layout === 'inline' && seen.some((one) => one.isIntersecting)) parts.onNear();
    },
    { rootMargin },
  );
  near.observe(element);
  // Browsers without the Navigation API notice pushState by what it changes on the page.
  const { navigation } = window as { navigation?: EventTarget };
  navigation?.addEventListener('currententrychange', soon, { signal });
  for (const name of ['popstate', 'DOMContentLoaded']) addEventListener(name, soon, { signal });
  signal.addEventListener('abort', () => {
    elements.disconnect();
    near.disconnect();
    cancelAnimationFrame(frame);
  });

  return {
    place,
    /** Looks at the outermost elements of the page only, unless the widget is deep in it. */
    watch: () =>
      elements.observe(document.documentElement, {
        childList: true,
        subtree: settings().layout === 'inline',
      }),
  };
}
