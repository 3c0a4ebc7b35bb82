/** Keeps Tab inside a modal panel. */
const focusable =
  'a[href],button:not(:disabled),textarea,summary,input:not(:disabled),[tabindex]:not([tabindex="-1"])';

export function keepFocusInside(event: KeyboardEvent, within: HTMLElement): void {
  if (event.key !== 'Tab') return;
  const all = [...within.querySelectorAll<HTMLElement>(focusable)];
  const first = all[0];
  const last = all.at(-1);
  const root = within.getRootNode();
  const active = root instanceof ShadowRoot ? root.activeElement : document.activeElement;
  const leaves = event.shiftKey ? active === first || active === within : active === last;
  if (!leaves) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}
