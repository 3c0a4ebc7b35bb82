/**
 * Styles for the page around the widget: no element and no attribute of it changes, a strict
 * `style-src` does not mind, and they go as they came. Returns what takes them back.
 */
export function stylePage(css: string): () => void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
  };
}
