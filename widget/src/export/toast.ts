import type { PanelDeps } from '../panel/deps.ts';
import { adoptStyles } from '../styles/adopt-styles.ts';
import css from '../styles/toast.css?inline';

const shownMs = 2500;

/** Shows a short message over the panel and announces it. */
export function showToast({ shadow, announce }: PanelDeps, words: string): void {
  const removeStyles = adoptStyles(shadow, css);
  const toast = document.createElement('p');
  toast.className = 'toast';
  toast.ariaHidden = 'true';
  toast.dataset['testid'] = 'docent-toast';
  toast.textContent = words;
  // Inside the panel, because an open modal covers everything else.
  shadow.querySelector('.panel')?.append(toast);
  announce(words);
  setTimeout(() => {
    toast.remove();
    removeStyles();
  }, shownMs);
}
