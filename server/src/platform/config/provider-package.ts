import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * The entry file of a package that is installed for a folder, or for Docent; `undefined` if it's
 * installed for neither.
 */
export function findPackage(name: string, folder: string): string | undefined {
  return findFrom(name, join(folder, 'package.json')) ?? findFrom(name, import.meta.filename);
}

function findFrom(name: string, file: string): string | undefined {
  try {
    return createRequire(file).resolve(name);
  } catch (error) {
    // The package is installed, but only for `import`.
    const isForImport = (error as { code?: string }).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
    return isForImport ? findImport(name, file) : undefined;
  }
}

function findImport(name: string, file: string): string | undefined {
  const manifest = findPackageJSON(name, pathToFileURL(file));
  if (manifest === undefined) return undefined;
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as { exports?: unknown };
  const main = isConditions(exports) && '.' in exports ? exports['.'] : exports;
  const target = choose(main);
  return target === undefined ? undefined : join(dirname(manifest), target);
}

function choose(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (!isConditions(target)) return undefined;
  for (const [condition, value] of Object.entries(target)) {
    if (!['node', 'import', 'module-sync', 'default'].includes(condition)) continue;
    const found = choose(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isConditions(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function notInstalled(
  model: string,
  { package: name, folder }: { package: string; folder: string },
): string {
  return `models.${model}.package "${name}" is not installed; run "npm install ${name}" in ${folder}, or write the folder that it is installed in as "folder"`;
}
