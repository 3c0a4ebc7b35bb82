/** Rejects if the browser refuses, for example without https or focus. */
export async function copyText(value: string | (() => string | Promise<string>)): Promise<void> {
  const text = typeof value === 'string' ? value : value();
  if (typeof text === 'string') return navigator.clipboard.writeText(text);
  // Safari requires the write in the same task as the press.
  if (typeof ClipboardItem === 'undefined' || !('write' in navigator.clipboard)) {
    return navigator.clipboard.writeText(await text);
  }
  const blob = text.then((words) => new Blob([words], { type: 'text/plain' }));
  return navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
}
