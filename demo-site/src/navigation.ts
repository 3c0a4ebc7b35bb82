/** The sidebar's tree, made from the folders, and the order in which pages are read. */
import { humanise, type ParsedPage } from './parse-page.ts';

export interface NavigationItem {
  label: string;
  /** Absent for a folder without a page of its own. */
  path?: string;
  /** Name of the group it stands in, among its siblings. */
  section?: string;
  order: number;
  children: NavigationItem[];
}

type NavigationPage = Pick<ParsedPage, 'path' | 'file' | 'title' | 'frontmatter'>;

/** `pages` come sorted by file name; `order` in a page's frontmatter goes before that. */
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
    const item: NavigationItem = { label: humanise(folder), order: Infinity, children: [] };
    folders.set(folder, item);
    folderItem(toFolder(folder)).children.push(item);
    return item;
  }
}

/** Every page once, as the sidebar shows them from top to bottom. */
export function readingOrder(items: NavigationItem[]): { path: string; label: string }[] {
  return items.flatMap(({ path, label, children }) => [
    ...(path === undefined ? [] : [{ path, label }]),
    ...readingOrder(children),
  ]);
}

/** The items above a page and the page itself; empty where it is not in the tree. */
export function trailTo(path: string, items: NavigationItem[]): NavigationItem[] {
  for (const item of items) {
    if (item.path === path) return [item];
    const trail = trailTo(path, item.children);
    if (trail.length > 0) return [item, ...trail];
  }
  return [];
}

function sort(item: NavigationItem): void {
  // Equal order keeps the order of the files: sort is stable.
  item.children.sort((a, b) => (a.order === b.order ? 0 : a.order - b.order));
  for (const child of item.children) sort(child);
}

function toFolder(file: string): string {
  return file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '';
}
