/** Writes down what each file of the widget is, so that nothing else is ever run in its place. */
import { createHash } from 'node:crypto';
import { basename, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin, Rolldown } from 'vite';
import type { Files } from './src/loader/load.ts';

const sources = fileURLToPath(new URL('src', import.meta.url));
const verifiedFile = fileURLToPath(new URL('src/loader/verified.ts', import.meta.url));
const sha256 = (text: string) => createHash('sha256').update(text).digest();

/** The name of a module that is loaded later: `chat`, `markdown/highlight`, `prism-bash`. */
function entryOf(id: string): string {
  const path = id.replace(/[?#].*$/, '').replace(/\.\w+$/, '');
  return path.startsWith(sources + sep)
    ? relative(sources, path).replaceAll(sep, '/')
    : basename(path);
}

/**
 * Each `import('./x.ts')` in our sources becomes `verified('x', () => import('./x.ts'))`, and
 * `files-<hash>.js` says what the files are. The loader has to know that file, and those that the
 * entry `first` needs.
 */
export function verifyFiles(first: string, onFiles: (files: readonly string[]) => void): Plugin {
  return {
    name: 'docent:verify-files',
    applyToEnvironment: (environment) => environment.name === 'client',
    async transform(code, id) {
      if (!id.startsWith(sources) || id === verifiedFile) return undefined;
      const isEntry = this.getModuleInfo(id)?.isEntry === true;
      let text = code;
      // From behind, so that places stay what they are. Types are gone by now.
      const imports = [
        ...code.matchAll(/\bimport\(\s*(["'`])([^"'`]+)\1\s*(?:,[^()]*)?\)/g),
      ].toReversed();
      for (const { 0: whole, 2: specifier = '', index } of imports) {
        const target = await this.resolve(specifier, id);
        if (!target) continue;
        const call = `verified(${JSON.stringify(entryOf(target.id))}, () => ${whole})`;
        text = text.slice(0, index) + call + text.slice(index + whole.length);
      }
      const at = JSON.stringify(verifiedFile);
      if (imports.length) text += `\nimport { verified } from ${at};`;
      if (isEntry) text += `\nexport { verifyWith } from ${at};`;
      return text === code ? undefined : { code: text, map: null };
    },
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const files = listFiles(chunks);
      const source = `export default ${JSON.stringify(files)};\n`;
      const name = `files-${sha256(source).toString('base64url').slice(0, 10)}.js`;
      this.emitFile({ type: 'asset', fileName: name, source });
      const foremost = files.needs[first]?.map((place) => files.all[place] ?? '');
      if (!foremost) throw new Error(`The widget has no entry ${first}`);
      onFiles([written(name, source), ...foremost]);
    },
  };
}

const written = (name: string, text: string) =>
  `${name}=${sha256(text).toString('base64').replace(/=+$/, '')}`;

function listFiles(chunks: readonly Rolldown.OutputChunk[]): Files {
  const all = chunks.map(({ fileName, code }) => written(fileName, code));
  const at = new Map(chunks.map(({ fileName }, index) => [fileName, index]));
  const later = new Set(chunks.flatMap((chunk) => chunk.dynamicImports));
  const needs: Record<string, number[]> = {};
  for (const chunk of chunks) {
    if (!chunk.facadeModuleId || !(chunk.isEntry || chunk.isDynamicEntry)) continue;
    const closure = new Set([chunk.fileName]);
    for (const name of closure) {
      for (const next of chunks[at.get(name) ?? -1]?.imports ?? []) closure.add(next);
    }
    // What the loader asks for by the name of its entry, another file may import by its path.
    const names = new Set<string>();
    if (chunk.isEntry) names.add(chunk.name);
    if (chunk.isDynamicEntry || later.has(chunk.fileName)) names.add(entryOf(chunk.facadeModuleId));
    for (const name of names) {
      if (needs[name]) throw new Error(`Two files of the widget are called ${name}`);
      needs[name] = [...closure].map((file) => at.get(file) ?? -1);
    }
  }
  const missing = chunks
    .filter(({ fileName }) => later.has(fileName))
    .filter(({ facadeModuleId }) => !facadeModuleId || !needs[entryOf(facadeModuleId)])
    .map(({ fileName }) => fileName);
  if (missing.length) throw new Error(`Not verified: ${missing.join()}; see vite-verify.ts`);
  return { all, needs };
}
