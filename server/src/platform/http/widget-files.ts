/**
 * The files of the widget that pages load:
 *
 *   /docent.js             the current loader, for the owner's tag
 *   /docent-v1.js          the newest loader with today's attributes and API
 *   /docent-<id>.js        the loader of the current build, for tags with `integrity`
 *   …the same with `.mjs`: the loader as an ES module
 *   /widget/<file>         the other files; their names contain a hash
 *   /widget/v1/panel.js    the current panel under a permanent name
 *   /widget/manifest.json  the hash of each file
 */
import { type NextFunction, type Request, type Response, Router } from 'express';
import { sha256 } from '../hash.ts';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** In a checkout a package beside this one, in the published package a folder: `package.json` says which. */
const builtFolder = fileURLToPath(new URL('.', import.meta.resolve('#widget/docent.js')));

export interface WidgetBuild {
  /** Derived from the loaders. Their permanent addresses are `docent-<id>.js` and `docent-<id>.mjs`. */
  id: string;
  /** Each file by its name, with its value for an `integrity` attribute. */
  files: ReadonlyMap<string, string>;
  pathOf(name: string): string;
  /** The file that the widget's entry of this name is in: `panel`. */
  entry(name: string): string | undefined;
}

/** `undefined` where nothing is built. */
export type ReadWidgetBuild = () => Promise<WidgetBuild | undefined>;

export const loaderNames: readonly string[] = ['docent.js', 'docent.mjs'];

/** Reads the build once, and again after the widget is rebuilt: that happens during development. */
export function createWidgetBuild(folder = builtFolder): ReadWidgetBuild {
  let known: { changed: number; build: Promise<WidgetBuild> } | undefined;
  return async () => {
    const loader = await stat(join(folder, 'docent.js')).catch(() => undefined);
    if (!loader) return undefined;
    if (known?.changed !== loader.mtimeMs) {
      known = { changed: loader.mtimeMs, build: readBuild(folder) };
    }
    return known.build;
  };
}

async function readBuild(folder: string): Promise<WidgetBuild> {
  const scripts = (await readdir(join(folder, 'widget'))).filter((name) => name.endsWith('.js'));
  const pathOf = (name: string) => join(folder, loaderNames.includes(name) ? '' : 'widget', name);
  const files = await Promise.all(
    [...loaderNames, ...scripts].map(
      async (name) => [name, `sha256-${sha256(await readFile(pathOf(name)), 'base64')}`] as const,
    ),
  );
  const loaders = await Promise.all(loaderNames.map((name) => readFile(pathOf(name))));
  return {
    id: sha256(loaders).slice(0, 16),
    files: new Map(files),
    pathOf,
    entry: (wanted) => scripts.find((name) => name.replace(/-[\w-]{10}\.js$/, '') === wanted),
  };
}

/** Of compressed versions of files, the better one first. */
const endings = { br: '.br', gzip: '.gz' };

/** Sends a file of a build, compressed if it has such a version that the client takes. Rejects if there's no such file. */
export async function sendBuilt(
  request: Request,
  response: Response,
  path: string,
  headers: Record<string, string>,
): Promise<void> {
  let body: Buffer | undefined;
  for (const [encoding, ending] of Object.entries(endings)) {
    if (!request.acceptsEncodings(encoding)) continue;
    body = await readFile(path + ending).catch(() => undefined);
    if (!body) continue;
    response.set('Content-Encoding', encoding);
    break;
  }
  body ??= await readFile(path);
  response.set({ ...headers, ETag: `"${sha256(body, 'base64url').slice(0, 22)}"` });
  response.vary('Accept-Encoding').send(body);
}

const forEver = 'public, max-age=31536000, immutable';
/** An older file may be used while the newer one is fetched. */
const aWhile = 'public, max-age=300, stale-while-revalidate=86400';
const aMinute = 'public, max-age=60';

export function createWidgetFiles(readBuild: ReadWidgetBuild): Router {
  async function answer(request: Request, response: Response): Promise<boolean> {
    const [, folder, name = ''] = /^\/(?:(widget(?:\/v1)?)\/)?([\w.-]+)$/.exec(request.path) ?? [];
    forAnyPage(response);
    const build = await readBuild();
    if (!build) return false;
    const send = async (file: string, caching: string) => {
      const headers = {
        'Cache-Control': caching,
        'Content-Type': 'text/javascript; charset=utf-8',
      };
      await sendBuilt(request, response, build.pathOf(file), headers);
      return true;
    };

    if (folder === undefined) {
      const [, which, ending] = /^docent(?:-(v1|[0-9a-f]{16}))?\.(m?js)$/.exec(name) ?? [];
      if (!ending) return false;
      const isPinned = which !== undefined && which !== 'v1';
      if (isPinned && which !== build.id) return false;
      return send(`docent.${ending}`, isPinned ? forEver : aWhile);
    }
    if (folder === 'widget/v1') {
      const panel = build.entry('panel');
      if (name !== 'panel.js' || !panel) return false;
      response.set('Cache-Control', aWhile).type('text/javascript');
      response.send(`export * from "../${panel}";\n`);
      return true;
    }
    if (name === 'manifest.json') {
      response.set('Cache-Control', aMinute);
      response.json(manifestOf(build.id, build.files));
      return true;
    }
    if (loaderNames.includes(name) || !build.files.has(name)) return false;
    return send(name, forEver);
  }

  const router = Router();
  router.use(async (request: Request, response: Response, next: NextFunction) => {
    const isOurs = /^\/(docent(-\w+)?\.m?js$|widget\/)/.test(request.path);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isOurs || !isRead || !(await answer(request, response))) next();
  });
  return router;
}

/** The hashes that owners need to pin a page to this build, or for a content security policy. */
export function manifestOf(id: string, files: ReadonlyMap<string, string>) {
  const {
    'docent.js': loader = '',
    'docent.mjs': module = '',
    ...others
  } = Object.fromEntries(files);
  return {
    loader: { path: `/docent-${id}.js`, integrity: loader },
    module: { path: `/docent-${id}.mjs`, integrity: module },
    files: others,
  };
}

/** Pages of any origin may load the widget, and may see that a file is missing. */
function forAnyPage(response: Response): void {
  response.set({
    'Cache-Control': 'no-store',
    'Access-Control-Allow-Origin': '*',
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Timing-Allow-Origin': '*',
  });
}
