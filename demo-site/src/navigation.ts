/** Builds the sidebar from the folders, and the reading order of pages. */
import { titleFromPath, type ParsedPage } from './parse-page.ts';

export interface NavigationItem {
  label: string;
  /** Absent for a folder without a page. */
  path?: string;
  /** The name of its group. */
  section?: string;
  order: number;
  children: NavigationItem[];
}

type NavigationPage = Pick<ParsedPage, 'path' | 'file' | 'title' | 'frontmatter'>;

/** `pages` are sorted by file name. `order` in the frontmatter takes precedence. */
export function createNavigation(pages: NavigationPage[]): NavigationItem[] {
  const folders = new Map<string, NavigationItem>();
  const root: NavigationItem = { label: '', order: 0, children: [] };
  folders.set('', root);
  for (const page of pages) {
    const isIndex = toFolder(page.file) !== '' && /\/(index|readme)\.\w+$/i.test(page.file);
    if (isIndex) {
      const folder = folderItem(toFolder(page.file));
      folder.path = page.path;
      folder.label = page.frontmatter.label ?? page.title;
      if (page.frontmatter.order !== undefined) folder.order = page.frontmatter.order;
      if (page.frontmatter.section) folder.section = page.frontmatter.section;
      continue;
    }
    folderItem(toFolder(page.file)).children.push({
      label: page.frontmatter.label ?? page.title,
      path: page.path,
      ...(page.frontmatter.section ? { section: page.frontmatter.section } : {}),
      order: page.frontmatter.order ?? (page.path === '/' ? -1 : Infinity),
      children: [],
    });
  }
  sort(root);
  return root.children;

  function folderItem(folder: string): NavigationItem {
    const known = folders.get(folder);
    if (known) return known;
    const item: NavigationItem = { label: titleFromPath(folder), order: Infinity, children: [] };
    folders.set(folder, item);
    folderItem(toFolder(folder)).children.push(item);
    return item;
  }
}

/** All pages, in the order of the sidebar. */
export function readingOrder(items: NavigationItem[]): { path: string; label: string }[] {
  return items.flatMap(({ path, label, children }) => [
    ...(path === undefined ? [] : [{ path, label }]),
    ...readingOrder(children),
  ]);
}

/** The ancestors of a page and the page. Empty if the page isn't in the tree. */
export function trailTo(path: string, items: NavigationItem[]): NavigationItem[] {
  for (const item of items) {
    if (item.path === path) return [item];
    const trail = trailTo(path, item.children);
    if (trail.length > 0) return [item, ...trail];
  }
  return [];
}

function sort(item: NavigationItem): void {
  // Sort is stable, so files with the same order keep their order.
  item.children.sort((a, b) => (a.order === b.order ? 0 : a.order - b.order));
  for (const child of item.children) sort(child);
}

function toFolder(file: string): string {
  return file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '';
}
