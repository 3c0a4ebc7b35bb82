/** Anchors of headings, by the rules of the generators that we know. */
import GithubSlugger from 'github-slugger';

/**
 * GitHub's rule has Docusaurus, Mintlify and Nextra, and Astro (Starlight) but for a dash at the end;
 * VitePress and Python-Markdown (MkDocs) have their own.
 */
export type AnchorRule = 'github' | 'astro' | 'vitepress' | 'python' | 'python-unicode';

/** Gives the headings of one page their anchors, in the order of the page. */
export interface Slugger {
  slug: (text: string) => string;
  /** An anchor that a heading names itself: later ones have to differ. */
  take: (id: string) => void;
}

export function createSlugger(rule: AnchorRule): Slugger {
  if (rule === 'github' || rule === 'astro') {
    const github = new GithubSlugger();
    const end = rule === 'astro' ? /-$/ : /$^/;
    // Sites do not look at the ids that authors wrote when they number the others.
    return { slug: (text) => github.slug(text).replace(end, ''), take: () => undefined };
  }
  const taken = new Set<string>();
  const next = rule === 'vitepress' ? nextDashed : nextUnderscored;
  const base = { vitepress: vitepressSlug, python: pythonSlug, 'python-unicode': unicodeSlug }[
    rule
  ];
  return {
    slug(text) {
      const first = base(text);
      let id = first;
      for (let count = 1; taken.has(id); count += 1) id = next(first, id, count);
      taken.add(id);
      return id;
    },
    take: (id) => void taken.add(id),
  };
}

const nextDashed = (first: string, _: string, count: number) => `${first}-${count}`;

/** `install` is followed by `install_1`, and `step_2` by `step_3`. */
function nextUnderscored(_: string, id: string): string {
  const [, stem, number] = /^(.+)_(\d+)$/.exec(id) ?? [];
  return number === undefined ? `${id}_1` : `${stem}_${Number(number) + 1}`;
}

/** Every spelling that a site may have for its headings, in the order of the page. */
export function createAnchors(): (text: string) => string[] {
  const sluggers = (['github', 'vitepress', 'python'] as const).map(createSlugger);
  return (text) => [...new Set(sluggers.map(({ slug }) => slug(text)))].filter(Boolean);
}

const withoutAccents = (text: string) => text.normalize('NFKD').replaceAll(/[\u0300-\u036F]/g, '');

/** As `@mdit-vue/shared` does. */
function vitepressSlug(text: string): string {
  return (
    withoutAccents(text)
      .replaceAll(/\p{Cc}/gu, '')
      // Emojis are pictures, which its headings leave out.
      .replaceAll(/:[a-z][a-z\d_+-]*:/g, '')
      .replaceAll(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
      .replaceAll(/-{2,}/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .replace(/^(\d)/, '_$1')
      .toLowerCase()
  );
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

/** As `pymdownx.slugs.slugify` does with `case: lower`: letters of every script stay. */
function unicodeSlug(text: string): string {
  return text
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}
