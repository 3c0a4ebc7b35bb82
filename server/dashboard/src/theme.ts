/** Light, dark, or as the system says. The choice stays in this browser. */
import { effect, signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const stored = localStorage.getItem('docent-dashboard-theme');
export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system');

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
  localStorage.setItem('docent-dashboard-theme', theme.value);
});
