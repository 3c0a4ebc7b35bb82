/** Keyboard shortcuts as ordered keys: `ctrl+i`. `mod` is Cmd on Apple devices. */
const modifiers = ['alt', 'ctrl', 'meta', 'shift'] as const;

/** `undefined` for an invalid shortcut. Without Alt, Ctrl, or Cmd, it would fire while typing. */
export function parseShortcut(text: string): string | undefined {
  const keys = text
    .toLowerCase()
    // `MacIntel`, `iPhone`, `iPad`.
    .replace('mod', /^(mac|ip)/i.test(navigator.platform) ? 'meta' : 'ctrl')
    .replace('cmd', 'meta')
    .split('+');
  const key = keys.pop() ?? '';
  const pressed = modifiers.filter((name) => keys.includes(name));
  const isWhole = pressed.length === keys.length && /^(.|f\d\d?)$/.test(key);
  return isWhole && pressed.some((name) => name !== 'shift')
    ? [...pressed, key].join('+')
    : undefined;
}

export function matchesShortcut(event: KeyboardEvent, shortcut: string | undefined): boolean {
  const pressed = modifiers.filter((name) => event[`${name}Key`]);
  return !event.repeat && [...pressed, event.key?.toLowerCase()].join('+') === shortcut;
}

export function showShortcut(shortcut: string): string {
  return shortcut.replace('meta', 'cmd').replace(/(^|\+)./g, (start) => start.toUpperCase());
}

/** While the reader types, a shortcut belongs to the field, also in `<x-input>`. */
export function isTyping(event: Event): boolean {
  const target = event.composedPath()[0] as HTMLElement;
  return target.isContentEditable || /input|textarea|select/i.test(target.tagName);
}
