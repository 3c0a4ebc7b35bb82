import type { Assets } from './assets.ts';
import { type Html, markup } from './html.ts';

export interface Page {
  title: string;
  /** Breadcrumbs; the last one is the page itself. */
  trail: { name: string; link?: string | undefined }[];
  body: Html;
  /** More elements at the end of the body. */
  end?: Html;
}

const mark = markup`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="currentColor" /><path d="M10 8.5h5.5a7.5 7.5 0 0 1 0 15H10z" fill="none" stroke="var(--page)" stroke-width="2.6" stroke-linejoin="round" /><circle cx="15.4" cy="16" r="2.1" fill="var(--page)" /></svg>`;

export function writePage(page: Page, assets: Assets): string {
  const { title, trail, body, end } = page;
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
