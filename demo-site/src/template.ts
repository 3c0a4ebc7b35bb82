/** The HTML template of a page. */
import type { NavigationItem } from './navigation.ts';
import type { Heading, RenderedPage } from './render-page.ts';

export interface Frame {
  siteName: string;
  /** The site's path on its host: `/` or `/docs/`. */
  base: string;
  /** The addresses of Vite's files. */
  script: string;
  styles: string[];
  /** The script tag. Empty if the site has no assistant. */
  docentTag: string;
}

export interface Place {
  sidebar: string;
  trail: NavigationItem[];
  previous: { path: string; label: string } | undefined;
  next: { path: string; label: string } | undefined;
}

export interface DocentTag {
  url: string;
  site: string;
  key: string;
}

/** The script tag before `</body>`, with the site's green. */
export function docentScriptTag({ url, site, key }: DocentTag): string {
  return `<script src="${escape(url)}/docent.js" data-site="${escape(site)}" data-key="${escape(key)}" data-accent="#0b6e58" async></script>`;
}

export function pageHtml(page: RenderedPage, place: Place, frame: Frame): string {
  const { title, frontmatter, heading } = page;
  const section = place.trail.at(-1)?.section ?? place.trail.at(-2)?.label;
  const id = heading.id ? ` id="${escape(heading.id)}"` : '';
  const contents = page.headings.filter(({ depth }) => depth === 2 || depth === 3);
  return layout(
    {
      title: title === frame.siteName ? title : `${title} · ${frame.siteName}`,
      description: frontmatter.description,
      sidebar: place.sidebar,
      aside: tableOfContents(contents),
    },
    `<article>
<header class="page-head">
${section ? `<p class="eyebrow">${escape(section)}</p>` : ''}
<h1${id}>${heading.html}</h1>
${frontmatter.description ? `<p class="lead">${escape(frontmatter.description)}</p>` : ''}
</header>
<div class="prose">
${page.html}
</div>
</article>
${pager(place, frame.base)}`,
    frame,
  );
}

export function notFoundHtml(sidebar: string, frame: Frame): string {
  return layout(
    { title: `Page not found · ${frame.siteName}`, description: undefined, sidebar, aside: '' },
    `<article><header class="page-head"><p class="eyebrow">404</p><h1>This page does not exist</h1>
<p class="lead">It may have moved. Choose a page from the list, or <a href="${frame.base}">go to the start</a>.</p></header></article>`,
    frame,
  );
}

/** On large sites, omits closed folders, so that pages don't contain all titles. */
export function sidebarHtml(
  items: NavigationItem[],
  current: string,
  base: string,
  isLarge: boolean,
): string {
  const lists: string[] = [];
  let section: string | undefined;
  let entries: string[] = [];
  for (const item of items) {
    if (item.section !== section) flush();
    section = item.section;
    entries.push(sidebarItem(item, current, base, isLarge));
  }
  flush();
  return lists.join('\n');

  function flush(): void {
    if (entries.length === 0) return;
    const list = `<ul>${entries.join('')}</ul>`;
    lists.push(section ? `<section><h2>${escape(section)}</h2>${list}</section>` : list);
    entries = [];
  }
}

function sidebarItem(
  item: NavigationItem,
  current: string,
  base: string,
  isLarge: boolean,
): string {
  if (item.children.length === 0) return `<li>${pageLink(item, current, base)}</li>`;
  const isOpen = holds(item, current);
  if (isLarge && !isOpen) {
    const path = item.path ?? firstPath(item);
    return `<li class="folder"><a href="${url(base, path)}">${escape(item.label)}</a></li>`;
  }
  const hasOverview = item.children.some(({ label }) => label === 'Overview');
  const label = hasOverview ? item.label : 'Overview';
  const own =
    item.path === undefined ? '' : `<li>${pageLink({ ...item, label }, current, base)}</li>`;
  const children = item.children.map((child) => sidebarItem(child, current, base, isLarge));
  return `<li><details${isOpen ? ' open' : ''}><summary>${escape(item.label)}</summary><ul>${own}${children.join('')}</ul></details></li>`;
}

function pageLink(item: NavigationItem, current: string, base: string): string {
  const mark = item.path === current ? ' aria-current="page"' : '';
  return `<a href="${url(base, item.path ?? '/')}"${mark}>${escape(item.label)}</a>`;
}

function holds(item: NavigationItem, path: string): boolean {
  return item.path === path || item.children.some((child) => holds(child, path));
}

function firstPath(item: NavigationItem): string {
  return item.path ?? item.children.map(firstPath)[0] ?? '/';
}

function tableOfContents(headings: Heading[]): string {
  if (headings.length < 2) return '';
  const items = headings.map(
    ({ id, text, depth }) =>
      `<li class="depth-${depth}"><a href="#${escape(id)}">${escape(text)}</a></li>`,
  );
  return `<nav aria-labelledby="contents"><h2 id="contents">On this page</h2><ul>${items.join('')}</ul></nav>`;
}

function pager({ previous, next }: Place, base: string): string {
  if (!previous && !next) return '';
  const link = (page: Place['next'], kind: string, label: string) =>
    page
      ? `<a class="${kind}" rel="${kind}" href="${url(base, page.path)}"><span>${label}</span><strong>${escape(page.label)}</strong></a>`
      : '';
  return `<nav class="pager" aria-label="Neighbouring pages">${link(previous, 'prev', 'Previous')}${link(next, 'next', 'Next')}</nav>`;
}

interface Layout {
  title: string;
  description: string | undefined;
  sidebar: string;
  aside: string;
}

function layout(parts: Layout, main: string, frame: Frame): string {
  const description = parts.description
    ? `\n<meta name="description" content="${escape(parts.description)}">`
    : '';
  const styles = frame.styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('\n');
  // Sets the saved theme before the first paint, so the page doesn't flash.
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(parts.title)}</title>${description}
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${frame.base}favicon.svg">
<script>try{const t=localStorage.getItem('theme');if(t)document.documentElement.dataset.theme=t}catch{}</script>
${styles}
<script type="module" src="${frame.script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header class="top">
<button class="icon menu" type="button" aria-expanded="false" aria-controls="sidebar" aria-label="Menu">${icons.menu}</button>
<a class="brand" href="${frame.base}">${icons.mark}<span>${escape(frame.siteName)}</span></a>
<button class="ask" type="button" hidden>${icons.spark}<span>Ask a question</span><kbd></kbd></button>
<button class="icon theme" type="button" aria-label="Change between light and dark" hidden>${icons.sun}${icons.moon}</button>
</header>
<div class="columns">
<nav class="sidebar" id="sidebar" aria-label="Pages">
${parts.sidebar}
</nav>
<main id="main" tabindex="-1">
${main}
</main>
<aside class="contents" aria-label="Contents of this page">${parts.aside}</aside>
</div>
${frame.docentTag}
</body>
</html>
`;
}

const icon = (path: string, name: string) =>
  `<svg class="${name}" viewBox="0 0 20 20" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${path}</svg>`;

const icons = {
  menu: icon('<path d="M3.5 6.5h13M3.5 13.5h13"/>', 'bars'),
  spark: icon(
    '<path d="M10 3.2l1.5 4.1a2 2 0 0 0 1.2 1.2l4.1 1.5-4.1 1.5a2 2 0 0 0-1.2 1.2L10 16.8l-1.5-4.1a2 2 0 0 0-1.2-1.2L3.2 10l4.1-1.5a2 2 0 0 0 1.2-1.2z"/>',
    'spark',
  ),
  sun: icon(
    '<circle cx="10" cy="10" r="3.2"/><path d="M10 2.6v1.6M10 15.8v1.6M2.6 10h1.6M15.8 10h1.6M4.8 4.8l1.1 1.1M14.1 14.1l1.1 1.1M15.2 4.8l-1.1 1.1M5.9 14.1l-1.1 1.1"/>',
    'sun',
  ),
  moon: icon('<path d="M16.4 11.8A6.8 6.8 0 0 1 8.2 3.6a6.8 6.8 0 1 0 8.2 8.2z"/>', 'moon'),
  mark: '<svg class="mark" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M10 8.5h5.5a7.5 7.5 0 0 1 0 15H10z"/><circle cx="15.4" cy="16" r="2.1"/></svg>',
};

/** A page's address. Paths come from file names, so they can contain any character. */
function url(base: string, path: string): string {
  return escape(base.replace(/\/$/, '') + encodeURI(path));
}

function escape(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
