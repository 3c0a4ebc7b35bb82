/** Where the links of a page lead on the site. */
export interface LinkContext {
  /** Folder of the file below the docs folder, `''` or `guides/start`. */
  folder: string;
  /** Where the docs folder stands on the site: `/` or `/docs`. */
  basePath: string;
  /** Site path of a file below the docs folder, where it differs from the file's own (`slug`). */
  pathOf?: ((file: string) => string | undefined) | undefined;
}

/** Path on the site of a file below the docs folder: no extension, index and README name the folder. */
export function sitePath(file: string, basePath: string): string {
  const clean = withoutExtension(file).replace(/(^|\/)(index|readme)$/i, '');
  return joinPath(basePath, clean);
}

export function joinPath(...parts: string[]): string {
  const joined = parts.join('/').replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
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
