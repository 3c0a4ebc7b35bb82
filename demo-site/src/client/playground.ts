/** The controls of docs/playground.md, which change the widget on the page, and the tag to copy. */
import './styles/playground.css';
import {
  optionsFor,
  scriptTag,
  type TagOption,
  tagOptions,
  toUpdate,
} from '@docent/shared/script-tag';

const swatches = ['#0b6e58', '#3451d1', '#7c3aed', '#c2410c', '#be123c', '#facc15', '#111827'];
/** The place of an inline panel on this page. */
const inlineTarget = '#docent-here';
/** The support form of this page, which sends nothing. */
const ticketFields = '#ticket-subject, #ticket-message';

export function setUpPlayground(place: HTMLElement): void {
  const tag = document.querySelector<HTMLScriptElement>('script[data-site][data-key]');
  if (!tag) {
    place.textContent = 'This site was built without the assistant.';
    return;
  }
  // Controls start with the values of the page's tag.
  const chosen = new Map<string, string>();
  for (const { name } of tagOptions) {
    const value = tag.dataset[name];
    if (value !== undefined) chosen.set(name, value);
  }
  const form = document.createElement('form');
  form.className = 'playground';
  form.setAttribute('aria-label', 'Settings of the assistant on this page');
  const output = document.createElement('pre');
  const code = document.createElement('code');
  output.append(code);
  output.tabIndex = 0;
  output.setAttribute('aria-label', 'The tag with these settings');

  const rows = tagOptions.map((control) => {
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
    const shown = new Set(optionsFor(chosen));
    for (const { control, row } of rows) row.hidden = !shown.has(control);
    const target = layout === 'inline' ? inlineTarget : null;
    window.Docent?.('update', { target, deflect: ticketFields, ...toUpdate(chosen) });
    const { site = '', key = '' } = tag.dataset;
    code.textContent = scriptTag({ src: tag.src, site, key }, chosen);
  };

  form.addEventListener('submit', (event) => event.preventDefault());
  document.querySelector('#support-form')?.append(supportForm());
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

function supportForm(): HTMLFormElement {
  const form = document.createElement('form');
  form.className = 'ticket';
  form.setAttribute('aria-label', 'Example of a support form');
  for (const [name, kind] of [
    ['Subject', 'input'],
    ['Message', 'textarea'],
  ] as const) {
    const row = document.createElement('p');
    const label = document.createElement('label');
    const field = document.createElement(kind);
    field.id = `ticket-${name.toLowerCase()}`;
    label.append(name, field);
    row.append(label);
    form.append(row);
  }
  form.addEventListener('submit', (event) => event.preventDefault());
  return form;
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
  control: TagOption,
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
