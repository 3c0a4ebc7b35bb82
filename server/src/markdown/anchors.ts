/** Anchors of headings, by the rules of the generators that we know. */
import GithubSlugger from 'github-slugger';

/**
 * Every spelling that a site may have for its headings, in the order of the page: GitHub's (Docusaurus,
 * Mintlify, Starlight, Nextra), that of VitePress, and that of Python-Markdown (MkDocs).
 */
export function createAnchors(): (text: string) => string[] {
  const github = new GithubSlugger();
  const seen = { vitepress: new Map<string, number>(), python: new Map<string, number>() };
  return (text) => {
    const vitepress = unique(vitepressSlug(text), seen.vitepress, '-', 1);
    const python = unique(pythonSlug(text), seen.python, '_', 1);
    return [...new Set([github.slug(text), vitepress, python])].filter(Boolean);
  };
}

function unique(slug: string, seen: Map<string, number>, by: string, first: number): string {
  const count = seen.get(slug);
  seen.set(slug, (count ?? first - 1) + 1);
  return count === undefined ? slug : `${slug}${by}${count}`;
}

const withoutAccents = (text: string) => text.normalize('NFKD').replaceAll(/[\u0300-\u036F]/g, '');

/** As `@mdit-vue/shared` does. */
function vitepressSlug(text: string): string {
  return withoutAccents(text)
    .replaceAll(/\p{Cc}/gu, '')
    .replaceAll(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .replace(/^(\d)/, '_$1')
    .toLowerCase();
}

/** As `markdown.extensions.toc` does. */
function pythonSlug(text: string): string {
  return withoutAccents(text)
    .replaceAll(/[^\p{ASCII}]/gu, '')
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[-\s]+/g, '-');
}
