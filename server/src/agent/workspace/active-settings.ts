/** What in settings, data, and frontmatter makes a program run where a site is built or read. */
import { parse as parseToml } from 'smol-toml';
import { parseAllDocuments } from 'yaml';
import { yamlOptions } from '../../platform/yaml.ts';
import { isScripted } from './active-code.ts';

/** Settings of generators that aren't programs themselves. */
const settingsFile =
  /(?:^|\/)(?:mkdocs|zensical|docs|mint|_?config|book|site|hugo|params|module|antora(?:-playbook[\w-]*)?|docfx|_quarto|quarto|_metadata|_toc|myst|redocly|retype|generators|[\w-]+\.config)\.(?:ya?ml|json|toml)$|(?:^|\/)config\/[\w/-]+\.(?:ya?ml|json|toml)$/i;

/** Words of the names of settings that load or run something. */
const actingWords = new Set(
  'script scripts javascript js hook hooks plugin plugins gems filter filters integration integrations analytics extension extensions preprocessor preprocessors postprocessor postprocessors processors command commands cmd exec execute run render renderer unsafe security head inject injections bundle remote inherit extends custom_dir template templates include includes vite webpack babel markdownit loader loaders tagmanager'.split(
    ' ',
  ),
);

/** Readers of YAML make objects of any kind from such a tag, also ones that run. */
const yamlTag =
  /(?<![\w!])!(?:!(?!(?:str|int|float|bool|null|map|seq|set|omap|pairs|binary|timestamp|merge|value)\b)|<|ruby\b)[^\s,]{1,100}/g;
/** Of mdBook and Hugo, whatever the file is called. */
const tomlCommand = /^(?:command|preprocessor|output|security)$/;

const maxLength = 256 * 1024;

/** Finds code in a text that a site shows as HTML. */
export type FindMarkup = (text: string) => string[];

/** Each as it stands there, with the names above it. */
export function activeSettingsIn(path: string, text: string, findMarkup: FindMarkup): string[] {
  const isSettings = settingsFile.test(path);
  const isToml = /\.toml$/i.test(path);
  if (!isToml && !/\.(?:ya?ml|json)$/i.test(path)) return [];
  const tags = /\.ya?ml$/i.test(path) ? yamlTags(text) : [];
  const documents = documentsIn(path, text);
  // A generator may be able to read what we can't.
  if (!documents) return isSettings || isToml ? [text] : tags;
  const found = inData(documents, (keys, value) => {
    if (typeof value === 'string' && isScripted(value)) return true;
    const key = keys.at(-1) ?? '';
    if (isToml && tomlCommand.test(key)) return true;
    if (!isSettings) return false;
    if (typeof value === 'string' && findMarkup(value).length > 0) return true;
    // A list of pages has titles as names.
    return isActing(key) && !keys.includes('nav');
  });
  return [...tags, ...found];
}

export function activeFrontmatterIn(yaml: string, findMarkup: FindMarkup): string[] {
  const found = inData(documentsIn('', yaml) ?? [], (keys, value) => {
    if (typeof value === 'string') return isScripted(value) || findMarkup(value).length > 0;
    return (
      keys.length === 1 && keys[0] === 'head' && /"script"|"on\w+"/i.test(JSON.stringify(value))
    );
  });
  return [...yamlTags(yaml), ...found];
}

const yamlTags = (text: string) => [...text.matchAll(yamlTag)].map(([tag]) => tag);

/** `extra_javascript`, `customJs`. */
function isActing(key: string): boolean {
  const words = key.replaceAll(/([a-z])(?=[A-Z])/g, '$1 ').toLowerCase();
  return actingWords.has(words) || words.split(/[\s._-]+/).some((word) => actingWords.has(word));
}

function documentsIn(path: string, text: string): unknown[] | undefined {
  try {
    if (/\.json$/i.test(path)) return [JSON.parse(text.replace(/^\ufeff/, ''))];
    if (text.length > maxLength) return undefined;
    if (/\.toml$/i.test(path)) return [parseToml(text)];
    const documents = parseAllDocuments(text, yamlOptions);
    if (documents.some(({ errors }) => errors.length > 0)) return undefined;
    return documents.map((document): unknown => document.toJS());
  } catch {
    return undefined; // Also aliases that would expand without limit.
  }
}

type Judge = (keys: readonly string[], value: unknown) => boolean;

/** The entries of lists one by one, and nothing below what is found. */
function inData(data: readonly unknown[], isActive: Judge): string[] {
  const found: string[] = [];
  visit([], data);
  return found;

  function visit(keys: readonly string[], value: unknown): void {
    if (Array.isArray(value)) {
      for (const one of value) visit(keys, one);
    } else if (isActive(keys, value)) {
      found.push(`${keys.join('.')}: ${JSON.stringify(value)}`);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, one] of Object.entries(value)) visit([...keys, key], one);
    }
  }
}
