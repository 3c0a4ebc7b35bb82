/** Light or dark as the page has it, now and whenever it changes. */
export type Theme = 'light' | 'dark';

const attributes = ['class', 'data-theme', 'data-bs-theme', 'data-color-mode'];

/**
 * What the page says, from the most to the least explicit. `hadDarkClass`: pages that switch with
 * `html.dark` have no class for light, so losing it means light whatever the system prefers.
 */
export function pageTheme(html: HTMLElement, hadDarkClass: boolean, systemIsDark: boolean): Theme {
  const said = attributes.map((name) => html.getAttribute(name)).join(' ');
  // `dark`, `dark-mode`, `theme-dark`: a name of its own, not `dark` inside some other class.
  const named = /(?:^|\s)(?:theme-)?(dark|light)(?:-mode|-theme)?(?:\s|$)/i.exec(said)?.[1];
  const { colorScheme } = getComputedStyle(html);
  if (named) return named.toLowerCase() as Theme;
  if (hadDarkClass) return 'light';
  // `light dark` means that the page leaves it to the system.
  if (colorScheme === 'dark' || colorScheme === 'light') return colorScheme;
  return systemIsDark ? 'dark' : 'light';
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
  observer.observe(html, { attributeFilter: [...attributes, 'style'] });
  system.addEventListener('change', update);
  update();
  return () => {
    observer.disconnect();
    system.removeEventListener('change', update);
  };
}
