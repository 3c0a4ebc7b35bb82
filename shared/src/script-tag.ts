/** The settings of the widget that people choose in a form, and the script tag with their choices. */
export interface TagOption {
  /** The attribute without `data-`. In JavaScript, the name is in camel case. */
  name: string;
  label: string;
  /** The first choice is the default and isn't in the tag. */
  choices?: readonly (readonly [value: string, label: string])[];
  kind?: 'color' | 'text' | 'switch';
  placeholder?: string;
  /** The default of a switch. */
  isOn?: boolean;
  /** Shown only with these layouts. */
  layouts?: readonly string[];
}

export const tagOptions: readonly TagOption[] = [
  {
    name: 'layout',
    label: 'Layout',
    choices: [
      ['bubble', 'Bubble'],
      ['sidebar', 'Sidebar'],
      ['modal', 'Modal'],
      ['inline', 'Inline'],
    ],
  },
  {
    name: 'push',
    label: 'Move the page aside',
    kind: 'switch',
    isOn: false,
    layouts: ['sidebar'],
  },
  {
    name: 'position',
    label: 'Side',
    choices: [
      ['right', 'Right'],
      ['left', 'Left'],
    ],
    layouts: ['bubble', 'sidebar'],
  },
  {
    name: 'theme',
    label: 'Theme',
    choices: [
      ['auto', 'As the page'],
      ['light', 'Light'],
      ['dark', 'Dark'],
    ],
  },
  { name: 'accent', label: 'Accent', kind: 'color' },
  {
    name: 'language',
    label: 'Language',
    choices: [
      ['auto', 'As the page'],
      ['en', 'English'],
      ['ar', 'العربية'],
      ['de', 'Deutsch'],
      ['es', 'Español'],
      ['fr', 'Français'],
      ['it', 'Italiano'],
      ['ja', '日本語'],
      ['ko', '한국어'],
      ['nl', 'Nederlands'],
      ['pl', 'Polski'],
      ['pt', 'Português'],
      ['ru', 'Русский'],
      ['tr', 'Türkçe'],
      ['uk', 'Українська'],
      ['zh', '简体中文'],
      ['zh-TW', '繁體中文'],
    ],
  },
  { name: 'title', label: 'Title', kind: 'text', placeholder: 'Ask the docs' },
  { name: 'shortcut', label: 'Shortcut', kind: 'text', placeholder: 'mod+i' },
  { name: 'launcher', label: 'Button on the page', kind: 'switch', isOn: true },
  { name: 'selection', label: 'Ask about selected text', kind: 'switch', isOn: true },
  { name: 'code', label: 'Ask about code', kind: 'switch', isOn: true },
  { name: 'feedback', label: 'Rate answers', kind: 'switch', isOn: true },
  { name: 'suggestions', label: 'Follow-up suggestions', kind: 'switch', isOn: true },
];

/** Which options count with these choices: some are only for some layouts. */
export const optionsFor = (choices: ReadonlyMap<string, string>): TagOption[] =>
  tagOptions.filter(
    ({ layouts }) => layouts?.includes(choices.get('layout') ?? 'bubble') !== false,
  );

/** The tag to paste, without default values. */
export function scriptTag(
  { src, site, key }: { src: string; site: string; key: string },
  choices: ReadonlyMap<string, string>,
): string {
  const lines = [`src="${src}"`, `data-site="${site}"`, `data-key="${key}"`];
  for (const { name } of optionsFor(choices)) {
    const value = choices.get(name);
    if (value === undefined) continue;
    lines.push(`data-${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`);
  }
  if (choices.get('layout') === 'inline') lines.push('data-target="#ask"');
  return `<script ${lines.join('\n        ')}\n        async></script>`;
}

/** What `Docent('update', …)` takes for these choices; null: the default. */
export function toUpdate(choices: ReadonlyMap<string, string>): Record<string, unknown> {
  const shown = new Set(optionsFor(choices));
  return Object.fromEntries(
    tagOptions.map((option) => {
      const value = shown.has(option) ? choices.get(option.name) : undefined;
      return [
        option.name,
        value === undefined ? null : option.kind === 'switch' ? value === 'true' : value,
      ];
    }),
  );
}
