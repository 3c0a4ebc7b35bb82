/** A keyboard shortcut such as `mod+i`, where `mod` is Cmd on Apple machines and Ctrl elsewhere. */
export interface Shortcut {
  key: string;
  ctrl: boolean;
  meta: boolean;
  alt: boolean;
  shift: boolean;
}

const isApple = (): boolean => /mac|iphone|ipad/i.test(navigator.platform);

/** `undefined` where it is no shortcut. One without Ctrl, Cmd or Alt would fire while typing. */
export function parseShortcut(text: string): Shortcut | undefined {
  const names = text.split('+').map((name) => name.trim());
  const key = names.pop() ?? '';
  if (!/^(.|f\d\d?)$/.test(key) || !names.length) return undefined;
  const shortcut: Shortcut = { key, ctrl: false, meta: false, alt: false, shift: false };
  for (let name of names) {
    if (name === 'mod') name = isApple() ? 'meta' : 'ctrl';
    if (name === 'cmd') name = 'meta';
    if (name !== 'ctrl' && name !== 'meta' && name !== 'alt' && name !== 'shift') return undefined;
    shortcut[name] = true;
  }
  return shortcut.ctrl || shortcut.meta || shortcut.alt ? shortcut : undefined;
}

export function matchesShortcut(event: KeyboardEvent, shortcut: Shortcut): boolean {
  return (
    !event.repeat &&
    !event.isComposing &&
    event.key?.toLowerCase() === shortcut.key &&
    event.ctrlKey === shortcut.ctrl &&
    event.metaKey === shortcut.meta &&
    event.altKey === shortcut.alt &&
    event.shiftKey === shortcut.shift
  );
}

/** For people: `Ctrl+I`, `⌘I`. */
export function showShortcut({ key, ctrl, meta, alt, shift }: Shortcut): string {
  const name = key.toUpperCase();
  return isApple()
    ? `${ctrl ? '⌃' : ''}${alt ? '⌥' : ''}${shift ? '⇧' : ''}${meta ? '⌘' : ''}${name}`
    : `${ctrl ? 'Ctrl+' : ''}${meta ? 'Meta+' : ''}${alt ? 'Alt+' : ''}${shift ? 'Shift+' : ''}${name}`;
}

/** True where the reader is typing: there a shortcut belongs to the field. */
export function isTyping(event: Event): boolean {
  const target = event.composedPath()[0];
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName))
  );
}
