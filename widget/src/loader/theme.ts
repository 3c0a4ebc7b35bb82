export type Theme = 'light' | 'dark';

const attributes = [
  'class',
  'data-theme',
  'data-bs-theme',
  'data-color-mode',
  'data-md-color-scheme',
];

/**
 * The page's theme, from the most to the least explicit sign. `hadDarkClass`: pages that switch
 * with `html.dark` have no class for light.
 */
export function pageTheme(html: HTMLElement, hadDarkClass: boolean, systemIsDark: boolean): Theme {
  const said = [html, document.body]
    .flatMap((element) => attributes.map((name) => element?.getAttribute(name)))
    .join(' ');
  // `dark`, `dark-mode`, or `theme-dark` as a whole name. MkDocs Material's dark theme is `slate`.
  const named = /(^|\s)(theme-)?(dark|light|slate)(-mode|-theme)?(\s|$)/i.exec(said)?.[3];
  if (named) return /light/i.test(named) ? 'light' : 'dark';
  if (hadDarkClass) return 'light';
  const { colorScheme } = getComputedStyle(html);
  const meta = document.querySelector<HTMLMetaElement>('meta[name=color-scheme]');
  const scheme = !colorScheme || colorScheme === 'normal' ? meta?.content : colorScheme;
  // `light dark` leaves it to the system.
  const only = /^(only )?(dark|light)( only)?$/.exec(scheme ?? '')?.[2];
  return (only as Theme | undefined) ?? (systemIsDark ? 'dark' : 'light');
}
