/** Style, script, and icon of the preview. Their names contain a hash, so browsers can cache them forever. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../platform/hash.ts';

export interface Assets {
  style: string;
  script: string;
  icon: string;
  /** By path. */
  files: Map<string, { type: string; bytes: Buffer }>;
}

/** The same folder for the source and for the build. */
const folder = new URL('.', import.meta.resolve('#pages/pages.css'));

const types: Record<string, string> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

export function readAssets(): Assets {
  const files: Assets['files'] = new Map();
  const add = (name: string) => {
    const bytes = readFileSync(fileURLToPath(new URL(name, folder)));
    const hash = sha256(bytes).slice(0, 12);
    const [stem = '', extension = ''] = name.split('.');
    const path = `/docent-pages/${stem}-${hash}.${extension}`;
    files.set(path, { type: types[extension] ?? '', bytes });
    return path;
  };
  return {
    style: add('pages.css'),
    script: add('preview.js'),
    icon: add('icon.svg'),
    files,
  };
}
