import type { Assets } from './assets.ts';
import { type Html, markup } from './html.ts';

export interface Page {
  title: string;
  /** Breadcrumbs; the last one is the page itself. */
  trail: { name: string; link?: string | undefined }[];
  body: Html;
  /** The page updates itself, or has forms to send from the keyboard. */
  script?: boolean;
  /** More elements at the end of the body. */
  end?: Html;
}

const mark = markup`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="currentColor" /><path d="M10 8.5h5.5a7.5 7.5 0 0 1 0 15H10z" fill="none" stroke="var(--page)" stroke-width="2.6" stroke-linejoin="round" /><circle cx="15.4" cy="16" r="2.1" fill="var(--page)" /></svg>`;

/** `jobs`: the page of jobs in the dashboard, for people who can open it. */
export function writePage(page: Page, assets: Assets, jobs?: string): string {
  const { title, body, script, end } = page;
  const trail = jobs === undefined ? page.trail : [{ name: 'Jobs', link: jobs }, ...page.trail];
  const crumbs = trail.map(({ name, link }) =>
    link === undefined
      ? markup`<li><span>${name}</span></li>`
      : markup`<li><a href="${link}">${name}</a></li>`,
  );
  const html = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${title} · Docent</title>
<link rel="icon" href="${assets.icon}">
<link rel="stylesheet" href="${assets.style}">
${script && markup`<script src="${assets.script}" defer></script>`}
</head>
<body>
<header class="top"><nav aria-label="Where you are"><ol><li class="brand">${mark}<span>Docent</span></li>${crumbs}</ol></nav></header>
<main>
${body}
</main>
${end}
</body>
</html>
`;
  return html.text;
}

/** A relative time, with the exact one as its tooltip. */
export function when(time: string, now: Date): Html {
  const seconds = Math.max(0, Math.round((now.getTime() - Date.parse(time)) / 1000));
  const exact = `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;
  return markup`<time datetime="${time}" title="${exact}">${ago(seconds, exact)}</time>`;
}

function ago(seconds: number, exact: string): string {
  const count = (amount: number, unit: string) => `${amount} ${unit}${amount === 1 ? '' : 's'} ago`;
  if (seconds < 45) return 'just now';
  if (seconds < 3_600) return count(Math.max(1, Math.round(seconds / 60)), 'minute');
  if (seconds < 86_400) return count(Math.round(seconds / 3_600), 'hour');
  if (seconds < 30 * 86_400) return count(Math.round(seconds / 86_400), 'day');
  return `on ${exact.slice(0, 10)}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
