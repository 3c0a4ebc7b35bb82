/** The anchors of headings, by the rules of each generator. */
import GithubSlugger from 'github-slugger';
import { trimOf } from '../../platform/text.ts';
import { anchorText, type Node } from '../markdown/nodes.ts';

/**
 * Docusaurus, Mintlify and Nextra use GitHub's rule. Astro (Starlight) uses it too, but without a dash at
 * the end. VitePress, docsify and Python-Markdown (MkDocs) have their own.
 */
export type AnchorRule =
  | 'github'
  | 'astro'
  | 'nuxt'
  | 'vitepress'
  | 'vuepress'
  | 'docsify'
  | 'mdbook'
  | 'python'
  | 'python-unicode';

/** Gives every heading of a page its anchor, and takes the ids that authors wrote out of the text. */
export function setAnchors(tree: Node, markdown: string, rule: AnchorRule): void {
  const slugger = createSlugger(rule);
  // To VuePress and Nuxt Content, `{#id}` is text like any other.
  const hasIds = rule !== 'vuepress' && rule !== 'nuxt';
  const withoutId = hasIds ? cutId : (text: string) => text;
  const readId = hasIds ? explicitId : (rest: Node[]) => ({ id: undefined, rest });
  visit(tree);

  function visit(node: Node): void {
    if (node.type !== 'heading') return node.children?.forEach(visit);
    const { id, rest } = readId(node.children ?? []);
    // A space before a component becomes a dash at the end, so only the start is trimmed.
    const shown = /^(astro|mdbook)$/.test(rule) ? rest.map(withDashes) : rest;
    node.anchor = id ?? slugger.slug(withoutId(anchorText(shown).trimStart()));
    if (id !== undefined) slugger.take(id);
    node.children = rest;
    const last = rest.at(-1);
    if (last?.type !== 'text' || !hasIds) return;
    last.value = cutId(last.value ?? '');
    const { start, end } = last.position ?? {};
    if (start?.offset === undefined || end?.offset === undefined) return;
    end.offset = start.offset + cutId(markdown.slice(start.offset, end.offset)).length;
  }
}

/** Astro and mdBook make a dash of two hyphens before they make the anchor, but not in code. */
function withDashes(node: Node): Node {
  if (node.type === 'text')
    return { ...node, value: node.value?.replaceAll(/(?<!-)--(?!-)/g, '—') ?? '' };
  return node.children ? { ...node, children: node.children.map(withDashes) } : node;
}

/** Anchors of the headings of one page, in their order. `take`: an anchor that the author wrote. */
export function createSlugger(rule: AnchorRule) {
  const finish = { github: (id: string) => id, astro: withoutDash, nuxt: nuxtId };
  if (rule === 'github' || rule === 'astro' || rule === 'nuxt') {
    const github = new GithubSlugger();
    // Ids that authors write do not count when sites number repeated anchors.
    return {
      slug: (text: string) => finish[rule](github.slug(text)),
      take: (_id: string) => undefined,
    };
  }
  const taken = new Set<string>();
  /** The last anchor of each text, so that many of the same text take linear time. */
  const latest = new Map<string, { id: string; count: number }>();
  const next = rule.startsWith('python') ? nextUnderscored : nextDashed;
  const base = {
    vitepress: vitepressSlug,
    vuepress: vitepressSlug,
    docsify: docsifySlug,
    mdbook: mdBookSlug,
    python: pythonSlug,
    'python-unicode': unicodeSlug,
  }[rule];
  // Python-Markdown numbers an empty id too, as that of a heading in Chinese.
  if (next === nextUnderscored) taken.add('');
  return {
    slug(text: string): string {
      const first = base(text);
      let { id, count } = latest.get(first) ?? { id: first, count: 1 };
      for (; taken.has(id); count += 1) id = next(first, id, count);
      taken.add(id);
      latest.set(first, { id, count });
      return id;
    },
    // mdBook counts only the ids that it makes.
    take: (id: string) => void (rule === 'mdbook' || taken.add(id)),
  };
}

const nextDashed = (first: string, _: string, count: number) => `${first}-${count}`;

/** `install` is followed by `install_1`, and `step_2` by `step_3`. */
function nextUnderscored(_: string, id: string): string {
  const [, stem, number] = /^(.*)_(\d+)$/.exec(id) ?? [];
  return number === undefined ? `${id}_1` : `${stem}_${Number(number) + 1}`;
}

const withoutAccents = (text: string) => text.normalize('NFKD').replaceAll(/[\u0300-\u036F]/g, '');

/** As `@mdit-vue/shared` does. */
function vitepressSlug(text: string): string {
  return trimOf(
    withoutAccents(text)
      .replaceAll(/\p{Cc}/gu, '')
      // Emojis become pictures, and VitePress leaves pictures out of anchors.
      .replaceAll(/:[a-z][a-z\d_+-]*:/g, '')
      .replaceAll(/[\s~`!@#$%^&*()\-_+=[\]{}|\\;:"'“”‘’<>,.?/]+/g, '-')
      .replaceAll(/-{2,}/g, '-'),
    '-',
  )
    .replace(/^(\d)/, '_$1')
    .toLowerCase();
}

/** As mdBook's `id_from_content` does. */
function mdBookSlug(text: string): string {
  const id = text
    .trim()
    .toLowerCase()
    .replaceAll(/\s/gu, '-')
    .replaceAll(/[^\p{Alphabetic}\p{N}_-]/gu, '');
  return id === '' ? 'section' : id;
}

const withoutDash = (id: string) => id.replace(/-$/, '');

/** What `@nuxtjs/mdc` makes of GitHub's anchor. */
const nuxtId = (id: string) => trimOf(id.replaceAll(/-+/g, '-'), '-').replace(/^(\d)/, '_$1');

/** As docsify's own `slugify` does. */
function docsifySlug(text: string): string {
  return text
    .trim()
    .normalize('NFC')
    .replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
    .replaceAll(/[\u2000-\u206F\u2E00-\u2E7F\\'!"#$%&()*+,./:;<=>?@[\]^`{|}~]/g, '')
    .replaceAll(/\s/g, '-')
    .replaceAll(/-+/g, '-')
    .replace(/^(\d)/, '_$1');
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

/** As `pymdownx.slugs.slugify` does with `case: lower`. Letters of every script stay. */
function unicodeSlug(text: string): string {
  return text
    .normalize('NFC')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** An id that an author wrote at the end of a heading, and the text before it. */
interface IdMark {
  before: string;
  id: string | undefined;
}

/**
 * `{#id}`, in Python-Markdown and VitePress also with other attributes: `{ #id .wide data-x="1" }`;
 * `[#id]` of Nextra and Mintlify; `{/* #id *\/}` of Docusaurus in a `.md` file.
 */
function idMark(text: string): IdMark | undefined {
  const end = text.trimEnd();
  if (!/[}\uE001\]]$/.test(end)) return undefined;
  const at = Math.max(...['{', '\uE000', '[#'].map((open) => end.lastIndexOf(open)));
  if (at < 0) return undefined;
  const mark = end.slice(at);
  const named = /^(?:\[#([\w-]+)\\?\]|\{\/\*\s*#([^\s*]+)\s*\*\/\})$/.exec(mark);
  if (named) {
    const before = mark.startsWith('[') ? end.slice(0, at).replace(/\\$/, '') : end.slice(0, at);
    return { before: before.trimEnd(), id: named[1] ?? named[2] };
  }
  const inner = /^[{\uE000]:?([^{}\uE001]*)[}\uE001]$/.exec(mark)?.[1];
  const attributes = inner === undefined ? [] : attributesIn(inner);
  if (!attributes.some((one) => one.startsWith('#') || /\bid=|#/.test(one))) return undefined;
  const own = attributes.find((one) => /^(?:#|id=)/.test(one));
  const id = own?.replace(/^(?:#|id=["']?)/, '').replace(/["']$/, '');
  return { before: end.slice(0, at).trimEnd(), id };
}

/** `#id`, `.class`, `name="value"`. Empty if there is anything else. */
function attributesIn(text: string): string[] {
  const one = /\s*([#.][^\s"'=]+|[\w-]+=(?:"[^"]*"|'[^']*'|[^\s"']+))/y;
  const found: string[] = [];
  const inner = text.trimEnd();
  while (one.lastIndex < inner.length) {
    const attribute = one.exec(inner)?.[1];
    if (attribute === undefined) return [];
    found.push(attribute);
  }
  return found;
}

function cutId(text: string): string {
  return idMark(text)?.before ?? text;
}

/** `## Title {#id}`, and in MDX `## Title {/* #id *\/}`. */
function explicitId(children: Node[]): { id: string | undefined; rest: Node[] } {
  const last = children.at(-1);
  const value = last?.value ?? '';
  if (last?.type === 'text') return { id: idMark(value)?.id, rest: children };
  if (last?.type === 'mdxTextExpression') {
    const id = /^\s*\/\*\s*#([^\s*]+)\s*\*\/$/.exec(value.trimEnd())?.[1];
    if (id) return { id, rest: children.slice(0, -1) };
  }
  return { id: undefined, rest: children };
}
