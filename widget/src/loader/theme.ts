/** Light or dark as the page has it, now and whenever it changes. */
export type Theme = 'light' | 'dark';

const attributes = [
  'class',
  'data-theme',
  'data-bs-theme',
  'data-color-mode',
  'data-md-color-scheme',
];

/**
 * What the page says, from the most to the least explicit. `hadDarkClass`: pages that switch with
 * `html.dark` have no class for light, so losing it means light whatever the system prefers.
 */
export function pageTheme(html: HTMLElement, hadDarkClass: boolean, systemIsDark: boolean): Theme {
  const said = [html, document.body]
    .flatMap((element) => attributes.map((name) => element?.getAttribute(name)))
    .join(' ');
  // `dark`, `dark-mode`, `theme-dark`: a name of its own, not `dark` inside some other class.
  // `slate`: the dark one of MkDocs Material.
  const named = /(^|\s)(theme-)?(dark|light|slate)(-mode|-theme)?(\s|$)/i.exec(said)?.[3];
  if (named) return /light/i.test(named) ? 'light' : 'dark';
  if (hadDarkClass) return 'light';
  const { colorScheme } = getComputedStyle(html);
  const meta = document.querySelector<HTMLMetaElement>('meta[name=color-scheme]');
  const scheme = !colorScheme || colorScheme === 'normal' ? meta?.content : colorScheme;
  // `light dark` means that the page leaves it to the system.
  const only = /^(only )?(dark|light)( only)?$/.exec(scheme ?? '')?.[2];
  return (only as Theme | undefined) ?? (systemIsDark ? 'dark' : 'light');
}
