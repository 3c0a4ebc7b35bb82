/** The controls of docs/playground.md, which change the widget on the page, and the tag to copy. */
import './styles/playground.css';

interface Control {
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

const controls: readonly Control[] = [
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

const swatches = ['#0b6e58', '#3451d1', '#7c3aed', '#c2410c', '#be123c', '#facc15', '#111827'];
/** The place of an inline panel on this page. */
const inlineTarget = '#docent-here';

export function setUpPlayground(place: HTMLElement): void {
  const tag = document.querySelector<HTMLScriptElement>('script[data-site][data-key]');
  if (!tag) {
    place.textContent = 'This site was built without the assistant.';
    return;
  }
  // Controls start with the values of the page's tag.
  const start = new Map(controls.map(({ name }) => [name, tag.dataset[name]]));
  const chosen = new Map(start);
  const form = document.createElement('form');
  form.className = 'playground';
  form.setAttribute('aria-label', 'Settings of the assistant on this page');
  const output = document.createElement('pre');
  const code = document.createElement('code');
  output.append(code);
  output.tabIndex = 0;
  output.setAttribute('aria-label', 'The tag with these settings');

  const rows = controls.map((control) => {
    const row = rowOf(control, chosen.get(control.name), (value) => {
      if (value === undefined) chosen.delete(control.name);
      else chosen.set(control.name, value);
      apply();
    });
    form.append(row);
    return { control, row };
  });

  const apply = () => {
    const layout = chosen.get('layout') ?? 'bubble';
    const patch: Record<string, unknown> = {
      target: layout === 'inline' ? inlineTarget : null,
    };
    for (const { control, row } of rows) {
      row.hidden = control.layouts?.includes(layout) === false;
      const value = row.hidden ? undefined : chosen.get(control.name);
      patch[control.name] =
        value === undefined ? null : control.kind === 'switch' ? value === 'true' : value;
    }
    window.Docent?.('update', patch);
    code.textContent = tagText(tag, chosen, rows, layout);
  };

  form.addEventListener('submit', (event) => event.preventDefault());
  place.append(form, actions(output), output);
  apply();

  function actions(tagBox: HTMLElement): HTMLElement {
    const bar = document.createElement('div');
    bar.className = 'playground-actions';
    const status = document.createElement('span');
    status.setAttribute('role', 'status');
    bar.append(
      button('Open it', 'primary', () => window.Docent?.('open')),
      button('Copy the tag', '', () => {
        navigator.clipboard.writeText(tagBox.textContent).then(
          () => (status.textContent = 'Copied'),
          () => (status.textContent = 'Select the tag and press Ctrl+C'),
        );
      }),
      button('Start over', '', () => location.reload()),
      status,
    );
    return bar;
  }
}

function button(words: string, className: string, onClick: () => void): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.className = className;
  element.textContent = words;
  element.addEventListener('click', onClick);
  return element;
}

/** A control with its label. `undefined` is the default. */
function rowOf(
  control: Control,
  value: string | undefined,
  onChange: (value: string | undefined) => void,
): HTMLElement {
  const { name, label, choices, kind, placeholder, isOn } = control;
  if (choices && choices.length <= 4) {
    const group = document.createElement('fieldset');
    const legend = document.createElement('legend');
    legend.textContent = label;
    group.append(legend);
    for (const [index, [choice, words]] of choices.entries()) {
      const option = document.createElement('label');
      const radio = input('radio', `playground-${name}`);
      radio.checked = choice === (value ?? choices[0]?.[0]);
      radio.addEventListener('change', () => onChange(index === 0 ? undefined : choice));
      option.append(radio, words);
      group.append(option);
    }
    return group;
  }
  const row = document.createElement('div');
  row.className = 'row';
  const words = document.createElement('label');
  words.textContent = label;
  words.htmlFor = `playground-${name}`;
  if (choices) {
    const select = document.createElement('select');
    select.id = words.htmlFor;
    for (const [choice, text] of choices) select.add(new Option(text, choice));
    select.value = value ?? choices[0]?.[0] ?? '';
    select.addEventListener('change', () =>
      onChange(select.selectedIndex === 0 ? undefined : select.value),
    );
    row.append(words, select);
  } else if (kind === 'switch') {
    const box = input('checkbox', '');
    box.id = words.htmlFor;
    box.checked = value === undefined ? isOn === true : value !== 'false';
    box.addEventListener('change', () =>
      onChange(box.checked === isOn ? undefined : String(box.checked)),
    );
    row.classList.add('switch');
    row.append(box, words);
  } else if (kind === 'color') {
    const picker = input('color', '');
    picker.id = words.htmlFor;
    picker.value = value ?? '#3451d1';
    picker.addEventListener('input', () => onChange(picker.value));
    const colors = swatches.map((color) => {
      const swatch = button('', 'swatch', () => {
        picker.value = color;
        onChange(color);
      });
      swatch.setAttribute('aria-label', `Accent ${color}`);
      swatch.style.backgroundColor = color;
      return swatch;
    });
    row.append(words, picker, ...colors);
  } else {
    const field = input('text', '');
    field.id = words.htmlFor;
    field.value = value ?? '';
    field.placeholder = placeholder ?? '';
    field.addEventListener('input', () => onChange(field.value.trim() || undefined));
    row.append(words, field);
  }
  return row;
}

function input(type: string, name: string): HTMLInputElement {
  const element = document.createElement('input');
  element.type = type;
  if (name) element.name = name;
  return element;
}

/** The tag to paste, without default values. */
function tagText(
  tag: HTMLScriptElement,
  chosen: ReadonlyMap<string, string | undefined>,
  rows: readonly { control: Control; row: HTMLElement }[],
  layout: string,
): string {
  const lines = [
    `src="${tag.src}"`,
    `data-site="${tag.dataset['site'] ?? ''}"`,
    `data-key="${tag.dataset['key'] ?? ''}"`,
  ];
  for (const { control, row } of rows) {
    const value = row.hidden ? undefined : chosen.get(control.name);
    if (value === undefined) continue;
    lines.push(
      `data-${control.name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`,
    );
  }
  if (layout === 'inline') lines.push('data-target="#ask"');
  return `<script ${lines.join('\n        ')}\n        async></script>`;
}
