/** Where the links of a page lead on the site. */
export interface LinkContext {
  /** Folder of the file below the docs folder, `''` or `guides/start`. */
  folder: string;
  /** Where the docs folder stands on the site: `/` or `/docs`. */
  basePath: string;
  /** Site path of a file below the docs folder, where it differs from the file's own (`slug`). */
  pathOf?: ((file: string) => string | undefined) | undefined;
}

/** `01-guides/02_start.md` -> `guides/start.md`; dates and version numbers stay. */
export function withoutOrder(file: string): string {
  return file
    .split('/')
    .map((part) => part.replace(orderPrefix, ''))
    .join('/');
}

/** Whether names start with a number that only sorts them: sites leave it out of their paths. */
export function isOrdered(files: readonly string[]): boolean {
  const ordered = files.filter((file) => file.split('/').some((part) => orderPrefix.test(part)));
  return ordered.length * 2 > files.length;
}

const orderPrefix = /^\d{1,3}\s*[-_.]+\s*(?=[^\d\s])(?!(?:mdx?|markdown)$)/;

/** Path on the site of a file below the docs folder: no extension, index and README name the folder. */
export function sitePath(file: string, basePath: string): string {
  const clean = withoutExtension(file).replace(/(^|\/)(index|readme)$/i, '');
  return joinPath(basePath, clean);
}

/** A `slug` in the frontmatter counts from the root or, if it is one word, from the file's folder. */
export function pathOfSlug(file: string, basePath: string, slug: string): string {
  if (slug.includes('/') && !slug.startsWith('.')) return joinPath(basePath, slug);
  const folder = file.includes('/') ? file.slice(0, file.lastIndexOf('/')) : '';
  return joinPath(basePath, normalize(`${folder}/${slug}`));
}

export function joinPath(...parts: string[]): string {
  const joined = parts
    .join('/')
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/$/, '');
  return joined.startsWith('/') ? joined : `/${joined}`;
}

function withoutExtension(file: string): string {
  return file.replace(/\.(mdx?|markdown|html?)$/i, '');
}

/** A link as a page on the site would have it; foreign ones stay as they are. */
export function resolveLink(url: string, context: LinkContext): string {
  const [, target = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(url.trim()) ?? [];
  if (target === '' || /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return url.trim();
  const isFile = /\.(mdx?|markdown)$/i.test(target);
  // A root-relative link is already a path of the site, unless it names a source file.
  if (target.startsWith('/') && !isFile) return joinPath(withoutExtension(target)) + rest;
  const file = normalize(target.startsWith('/') ? target : `${context.folder}/${decode(target)}`);
  return (context.pathOf?.(file) ?? sitePath(file, context.basePath)) + rest;
}

/** An image keeps its extension; otherwise as a link. */
export function resolveImage(url: string, context: LinkContext): string {
  if (url === '' || /^([a-z][a-z0-9+.-]*:|\/\/|\/)/i.test(url)) return url;
  const [, target = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(url) ?? [];
  return joinPath(context.basePath, normalize(`${context.folder}/${target}`)) + rest;
}

/** Takes `.` and `..` out; what climbs above the docs folder stops there. */
function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

function decode(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}
