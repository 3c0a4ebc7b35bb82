import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Styles of a part that is seldom seen, in the shadow root while it is. */
export function useStyles(within: RefObject<HTMLElement | null>, css: string): void {
  useLayoutEffect(() => {
    const root = within.current?.getRootNode();
    if (!(root instanceof ShadowRoot)) return undefined;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return () => {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
    };
  }, []);
}
