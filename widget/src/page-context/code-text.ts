/**
 * The code of a block without the theme's line numbers, buttons, and labels, and with one line per
 * line.
 */
const ignored = [
  'button, [role="button"], svg, style, script, template',
  '.line-numbers-rows, .hljs-ln-numbers, .linenos, .lineno, .rouge-gutter, .ln, .lnt, .gutter',
  '.linenumber, .react-syntax-highlighter-line-number',
  '.md-annotation, .sr-only, .visually-hidden, [class*="copy" i]:not([class*="token"])',
].join();

const lines = new Set(['block', 'list-item', 'table-row', 'flex', 'grid']);

function isIgnored(element: Element): boolean {
  if (element.matches(ignored)) return true;
  // Unselectable or hidden numbers are line numbers.
  return (
    /^\s*\d{1,6}\s*$/.test(element.textContent ?? '') &&
    (element.getAttribute('aria-hidden') === 'true' ||
      getComputedStyle(element).userSelect === 'none')
  );
}

const isEmptyLine = ({ localName, className }: Element): boolean =>
  localName === 'tr' ||
  localName === 'li' ||
  /(^|[-_ ])(line|ln|row)([-_ ]|$)/.test(String(className));

export function codeText(root: Element, range?: Range): string {
  let text = '';
  /** The last line end is ours. If the text has one, too, it's the same. */
  let isLineEndOurs = false;
  const endLine = () => {
    text += '\n';
    isLineEndOurs = true;
  };
  const visit = (node: Node): void => {
    if (range && !range.intersectsNode(node)) return;
    if (node instanceof Text) {
      const start = node === range?.startContainer ? range.startOffset : 0;
      const end = node === range?.endContainer ? range.endOffset : node.length;
      const data = node.data.slice(start, end);
      text += isLineEndOurs ? data.replace(/^\r?\n/, '') : data;
      if (data) isLineEndOurs = false;
    } else if (node instanceof Element) {
      if (node.localName === 'br') text += '\n';
      else if (node === root || !isIgnored(node)) visitElement(node);
    }
  };
  const visitElement = (element: Element): void => {
    const isLine = element !== root && lines.has(getComputedStyle(element).display);
    if (isLine && text && !text.endsWith('\n')) text += '\n';
    if (isLine) isLineEndOurs = false;
    const before = text.length;
    element.childNodes.forEach(visit);
    if (isLine && (text.length === before ? isEmptyLine(element) : !text.endsWith('\n'))) endLine();
  };
  visit(root);
  return text
    .replace(/^[ \t]+$/gm, '')
    .replace(/[\s\u200b]+$/, '')
    .replace(/^(\s*\n)+/, '');
}
