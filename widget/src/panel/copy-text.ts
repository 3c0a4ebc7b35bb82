/** Rejects where the browser refuses: without https, without focus. */
export async function copyText(value: string | (() => Promise<string>)): Promise<void> {
  if (typeof value === 'string') return navigator.clipboard.writeText(value);
  const text = value();
  // Safari forgets that the reader has pressed something, unless it is told at once what will come.
  if (typeof ClipboardItem === 'undefined' || !('write' in navigator.clipboard)) {
    return navigator.clipboard.writeText(await text);
  }
  const blob = text.then((words) => new Blob([words], { type: 'text/plain' }));
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
}
