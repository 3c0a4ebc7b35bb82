/** What a reader sees of raw HTML in Markdown. The parser found where the HTML is; this drops the tags. */
export function htmlText(html: string): string {
  return html
    .replaceAll(/<!--[\s\S]*?(-->|$)/g, '')
    .replaceAll(/<(script|style|svg|template)\b[\s\S]*?(<\/\1\s*>|$)/gi, '')
    .replaceAll(/<img\b[^>]*?\salt="([^"]*)"[^>]*>/gi, '$1')
    .replaceAll(/<br\s*\/?>/gi, '\n')
    .replaceAll(/<[A-Z][\w.]*\b[^>]*?\s(?:title|label|text)="([^"]*)"[^>]*>/g, '\n$1\n')
    .replaceAll(
      /<\/?(p|div|li|ul|ol|tr|table|details|summary|h[1-6]|section|blockquote)\b[^>]*>/gi,
      '\n',
    )
    .replaceAll(/<\/t[dh]\s*>/gi, ' ')
    .replaceAll(/<\/?[A-Za-z][^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? '')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
};
