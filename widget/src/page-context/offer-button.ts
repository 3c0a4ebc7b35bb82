/** A button over the page, without Preact, because the page may never open the panel. */
const spark =
  'M12 4l1.7 4.9a2 2 0 0 0 1.4 1.4L20 12l-4.9 1.7a2 2 0 0 0-1.4 1.4L12 20l-1.7-4.9a2 2 0 0 0-1.4-1.4L4 12l4.9-1.7a2 2 0 0 0 1.4-1.4z';

function icon(): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', spark);
  svg.append(path);
  return svg;
}

export function createOfferButton(shadow: ShadowRoot, name: 'ask-selection' | 'ask-code') {
  const button = document.createElement('button');
  const shown = document.createElement('span');
  const keys = document.createElement('kbd');
  button.type = 'button';
  button.className = `offer ${name}`;
  button.dataset['testid'] = `docent-${name}`;
  button.hidden = true;
  keys.setAttribute('aria-hidden', 'true');
  keys.hidden = true;
  button.append(icon(), shown, keys);
  // Keep the selection and the focus until they are read.
  button.addEventListener('pointerdown', (event) => event.preventDefault());
  // Before the panel, which covers it.
  shadow.prepend(button);
  /** `spoken`: the accessible name, if it differs from the words. */
  const label = (words: string, spoken?: string) => {
    shown.textContent = words;
    if (spoken) button.setAttribute('aria-label', spoken);
  };
  return { button, keys, label };
}

/** By `translate`, which doesn't count as a layout shift of the page. */
export function placeAt({ style }: HTMLElement, left: number, top: number): void {
  style.translate = `${Math.round(left)}px ${Math.round(top)}px`;
}

/** The panel and the launcher, which cover what is under them. */
export function boxesOfOurs(shadow: ShadowRoot): DOMRect[] {
  const covering = shadow.querySelectorAll('.panel:not([hidden]), .launcher');
  return Array.from(covering, (element) => element.getBoundingClientRect());
}
