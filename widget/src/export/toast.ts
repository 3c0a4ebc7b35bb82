import type { PanelDeps } from '../panel/deps.ts';
import { adoptStyles } from '../styles/adopt-styles.ts';
import css from '../styles/toast.css?inline';

const shownMs = 2500;

/** A few words about something that was done, over the panel for a moment; read out as well. */
export function showToast({ shadow, announce }: PanelDeps, words: string): void {
  const removeStyles = adoptStyles(shadow, css);
  const toast = document.createElement('p');
  toast.className = 'toast';
  // Read out by the panel's own announcer.
  toast.ariaHidden = 'true';
  toast.dataset['testid'] = 'docent-toast';
  toast.textContent = words;
  // Within the panel: what is open as a modal lies over everything else.
  shadow.querySelector('.panel')?.append(toast);
  announce(words);
  setTimeout(() => {
    toast.remove();
    removeStyles();
  }, shownMs);
}
