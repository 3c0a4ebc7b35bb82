/** Translations in folders of their own (`fr/guide.md`), or in files of their own (`guide.fr.md`). */
import type { Layout } from './layout.ts';
import { insideOf } from './paths.ts';

export interface LanguageSettings {
  /** The language of the pages that aren't in a translation. */
  main?: string | undefined;
  /** Languages by the names of their folders, if they differ. */
  tags?: Readonly<Record<string, string>> | undefined;
  /** `guide.fr.md` is a translation of `guide.md`, and its address begins with `/fr`. */
  isBySuffix?: boolean | undefined;
  /** The addresses of the main language begin with it too. */
  isMainShown?: boolean | undefined;
}

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
/** Codes of countries that projects use for their languages. */
const countries: Readonly<Record<string, string>> = {
  cn: 'zh-CN',
  jp: 'ja',
  kr: 'ko',
  ua: 'uk',
  cz: 'cs',
};

/** `zh-cn` -> `zh-CN`; `undefined`: it's no code of a language. */
export function languageTag(code: string): string | undefined {
  const lower = code.toLowerCase().replace('_', '-');
  if (!/^[a-z]{2}(-[a-z]{2,4})?$/.test(lower)) return undefined;
  const [tag = lower] = Intl.getCanonicalLocales(countries[lower] ?? lower);
  return names.of(tag) === undefined ? undefined : tag;
}

const suffix = /\.([A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?)(\.\w+)$/;

/** A file's name without its language, and that language as it's written. */
export function splitSuffix(file: string): { file: string; code?: string } {
  const [, code = '', ending = ''] = suffix.exec(file) ?? [];
  if (languageTag(code) === undefined) return { file };
  return { file: file.slice(0, -code.length - ending.length - 1) + ending, code };
}

/**
 * The language of each page; `undefined` where there is only one. A folder named by a language is a
 * translation if half of its pages have the names of pages beside it, or in the main language's folder.
 */
export function createLanguages(
  { root, languages: { main, tags = {}, isBySuffix } = {}, mounts }: Layout,
  files: readonly string[],
): (file: string) => string | undefined {
  const folders = new Map<string, Set<string>>();
  const beside = new Set<string>();
  const codes = new Set<string>();
  for (const path of files) {
    const inside = insideOf(path, root);
    if (inside === undefined) continue;
    const { file, code } = isBySuffix ? splitSuffix(inside) : { file: inside };
    if (code !== undefined) codes.add(code);
    const [first = '', ...rest] = file.split('/');
    const isFolder = rest.length > 0 && (tagOf(first) ?? undefined) !== undefined;
    if (isFolder) folders.set(first, (folders.get(first) ?? new Set()).add(rest.join('/')));
    else beside.add(file);
  }
  const isEnglish = (name: string) => /^en\b/i.test(name);
  const known = [...folders].flatMap(([name, own]) => {
    const others = [...folders].filter(([other]) => other !== name).map(([, one]) => one);
    const english = [...folders].filter(([other]) => other !== name && isEnglish(other));
    // Each of the translations proves the folder that they're made from.
    const originals = isEnglish(name) ? others : [beside, ...english.map(([, one]) => one)];
    return name in tags || originals.some((one) => isTwin(own, one, one === beside)) ? name : [];
  });
  const isOne = known.length + codes.size === 0;
  const usual = main ?? (known.some(isEnglish) ? undefined : 'en');
  return (path) => {
    const mount = mounts.find(({ folder, language }) => language && insideOf(path, folder));
    if (mount?.language !== undefined) return mount.language;
    const inside = insideOf(path, root);
    if (isOne || inside === undefined)
      return mounts.some(({ language }) => language) ? main : undefined;
    const { code } = isBySuffix ? splitSuffix(inside) : {};
    if (code !== undefined) return tagOf(code);
    const [first = ''] = inside.split('/');
    return known.includes(first) ? tagOf(first) : usual;
  };

  function tagOf(name: string): string | undefined {
    return Object.hasOwn(tags, name) ? tags[name] : languageTag(name);
  }
}

/** Half of the pages of the smaller one are in the other one too; of all others, of this one. */
function isTwin(own: ReadonlySet<string>, other: ReadonlySet<string>, isRest: boolean): boolean {
  const shared = [...own].filter((name) => other.has(name)).length;
  return shared > 0 && shared * 2 >= (isRest ? own.size : Math.min(own.size, other.size));
}
