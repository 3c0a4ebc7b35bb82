/** Turns a docs folder into the pages of the site and a list of problems. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLinks } from './links.ts';
import { createNavigation, type NavigationItem } from './navigation.ts';
import { findPageFiles } from './page-files.ts';
import { parsePage } from './parse-page.ts';
import { renderPage, type RenderedPage } from './render-page.ts';

export interface Site {
  pages: RenderedPage[];
  navigation: NavigationItem[];
  /** Images and downloads of the pages, relative to the docs folder. */
  files: string[];
  /** Problems such as broken links. Each sentence starts with the file. */
  warnings: string[];
}

/** Calls `onProgress` for every finished page. */
export async function buildPages(
  docsFolder: string,
  base = '/',
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Site> {
  const pageFiles = await findPageFiles(docsFolder);
  const all = await Promise.all(
    pageFiles.map(async (page) =>
      parsePage(await readFile(join(docsFolder, page.file), 'utf8'), page),
    ),
  );
  const parsed = all.filter((page) => !page.frontmatter.isHidden);
  const resolve = createLinks(docsFolder, parsed, base);
  const pages = parsed.map((page, index) => {
    onProgress(index + 1, parsed.length);
    return renderPage(page, resolve);
  });

  const idsByPath = new Map(pages.map((page) => [page.path, page.ids]));
  const files = new Set<string>();
  const warnings = pages.flatMap((page) => page.warnings);
  for (const page of pages) {
    for (const { problem, file, page: target, anchor, href } of page.links) {
      if (problem) warnings.push(problem);
      if (file) files.add(file);
      if (target === undefined || !anchor) continue;
      if (!idsByPath.get(target)?.has(decode(anchor))) {
        warnings.push(`${page.file}: the heading ${href} doesn’t exist`);
      }
    }
  }
  return { pages, navigation: createNavigation(parsed), files: [...files], warnings };
}

/** Anchors can be percent-encoded or not. Invalid UTF-8 matches no heading. */
function decode(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}
