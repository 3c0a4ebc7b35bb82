/** Light or dark as the page has it, now and whenever it changes. */
export type Theme = 'light' | 'dark';

const attributes = ['class', 'style', 'data-theme', 'data-bs-theme', 'data-color-mode'];

/** `dark`, `dark-mode`, `theme-dark`: a name of its own, not `dark` inside some other class. */
function named(text: string | undefined): Theme | undefined {
  const found = /(?:^|\s)(?:theme-)?(dark|light)(?:-(?:mode|theme))?(?:\s|$)/i.exec(text ?? '');
  return found?.[1]?.toLowerCase() as Theme | undefined;
}

/**
 * What the page says, from the most to the least explicit. `hadDarkClass`: pages that switch with
 * `html.dark` have no class for light, so losing it means light whatever the system prefers.
 */
export function pageTheme(html: HTMLElement, hadDarkClass: boolean, systemIsDark: boolean): Theme {
  const scheme = getComputedStyle(html).colorScheme;
  return (
    named(html.className) ??
    named(html.dataset['theme']) ??
    named(html.dataset['bsTheme']) ??
    named(html.dataset['colorMode']) ??
    (hadDarkClass ? 'light' : undefined) ??
    // `light dark` means that the page leaves it to the system.
    (scheme === 'dark' || scheme === 'light' ? scheme : undefined) ??
    (systemIsDark ? 'dark' : 'light')
  );
}

/** Calls `apply` now and at every change; returns what stops it. */
export function followTheme(setting: 'auto' | Theme, apply: (theme: Theme) => void): () => void {
  if (setting !== 'auto') {
    apply(setting);
    return () => {};
  }
  const html = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  let hadDarkClass = false;
  const update = () => {
    hadDarkClass ||= html.classList.contains('dark');
    apply(pageTheme(html, hadDarkClass, system.matches));
  };
  const observer = new MutationObserver(update);
  observer.observe(html, { attributeFilter: attributes });
  system.addEventListener('change', update);
  update();
  return () => {
    observer.disconnect();
    system.removeEventListener('change', update);
  };
}

/**
 * Black or white, whichever reads better on the colour (WCAG contrast). The canvas only turns any
 * CSS colour into `#rrggbb`; nothing is drawn or read back, so privacy guards don't disturb it.
 */
export function textOn(colour: string): '#000' | '#fff' {
  let hex = colour;
  if (!/^#[\da-f]{6}$/i.test(hex)) {
    const context = document.createElement('canvas').getContext('2d');
    if (context) {
      context.fillStyle = colour;
      hex = String(context.fillStyle);
    }
  }
  const channels = hex.startsWith('#')
    ? [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    : [0.3, 0.3, 0.3];
  const [red = 0, green = 0, blue = 0] = channels.map((channel) =>
    channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4,
  );
  // At this luminance black and white have the same contrast.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}
