import type { PanelDeps } from './deps.ts';

/** Leads to people, if the site's owner says how: to a form, or to their ticket tool. */
export function askPerson({ site, session, view }: PanelDeps): void {
  const { handOver = '' } = site.value ?? {};
  if (!handOver) return void (view.value = 'person');
  const id = encodeURIComponent(session.threadId() ?? '');
  open(handOver.replaceAll('{threadId}', id), '_blank', 'noopener');
}
