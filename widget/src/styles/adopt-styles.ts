/**
 * Adds a style sheet and returns what removes it. No element and no attribute changes, so a strict
 * `style-src` allows it.
 */
export function adoptStyles(root: Document | ShadowRoot, css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return () => {
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== sheet);
  };
}
