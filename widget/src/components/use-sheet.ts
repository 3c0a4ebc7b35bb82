import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** The style sheet of a part that comes late; as long as the part is there. */
export function useSheet(css: string, node: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const root = node.current?.getRootNode();
    if (!(root instanceof ShadowRoot)) return undefined;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    return () => {
      root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== sheet);
    };
  }, []);
}
