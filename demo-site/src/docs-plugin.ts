/** A Vite plugin that builds a static documentation site from Markdown and MDX. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { buildPages, type Site } from './build-pages.ts';
import { readingOrder, trailTo } from './navigation.ts';
import { docentScriptTag, notFoundHtml, pageHtml, sidebarHtml } from './template.ts';
import type { DocentTag, Frame } from './template.ts';

export interface DocsOptions {
  docsFolder: string;
  siteName: string;
  /** The assistant on every page. Without it, the site has none. */
  docent?: DocentTag;
  /** Called once per build. By default, warnings go to Vite's log. */
  onBuilt?: (site: Site) => void;
  onProgress?: (done: number, total: number) => void;
}

/** With more pages, the sidebar shows only the open folders. */
const largeSite = 120;
const browserEntry = fileURLToPath(new URL('client/main.ts', import.meta.url));

export function docs(options: DocsOptions): Plugin {
  let base = '/';
  return {
    name: 'docent:docs',
    config: () => ({
      // Serves `/install` from `install.html`. Other missing files are a 404.
      appType: 'mpa' as const,
      build: { rolldownOptions: { input: browserEntry } },
    }),
    configResolved(config) {
      base = config.base;
    },
    async generateBundle(_options, bundle) {
      const site = await buildPages(options.docsFolder, base, options.onProgress);
      const outputs = Object.values(bundle);
      const entry = outputs.find((output) => output.type === 'chunk' && output.isEntry);
      const styles = outputs.filter(({ fileName }) => fileName.endsWith('.css'));
      const frame: Frame = {
        siteName: options.siteName,
        base,
        script: base + (entry?.fileName ?? ''),
        styles: styles.map(({ fileName }) => base + fileName),
        docentTag: options.docent ? docentScriptTag(options.docent) : '',
      };
      for (const { fileName, source } of htmlFiles(site, frame)) {
        this.emitFile({ type: 'asset', fileName, source });
      }
      for (const file of site.files) {
        const source = await readFile(join(options.docsFolder, file));
        this.emitFile({ type: 'asset', fileName: file, source });
      }
      if (options.onBuilt) options.onBuilt(site);
      else for (const warning of site.warnings) this.warn(warning);
    },
    configurePreviewServer(server) {
      // One address per page: `/install/` and `/install.html` redirect to `/install`.
      server.middlewares.use((request, response, next) => {
        const [, path, rest = ''] = /^([^?]*)(\?.*)?$/.exec(request.url ?? '/') ?? [];
        const clean = (path ?? '/').replace(/(\/index)?(\.html)?\/*$/, '') || '/';
        if (clean === path || !path?.startsWith(base) || path === base) return next();
        // A leading `//` would redirect to another host.
        response.writeHead(302, { location: clean.replace(/^\/+/, '/') + rest }).end();
      });
      // Runs after Vite looked for the file and its `.html`, so the page doesn't exist.
      return () => {
        server.middlewares.use(async (request, response, next) => {
          if (/\.html($|\?)/.test(request.url ?? '')) return next();
          const { root, build } = server.config;
          const page = await readFile(resolve(root, build.outDir, '404.html')).catch(
            () => 'Not found',
          );
          response.writeHead(404, { 'content-type': 'text/html; charset=utf-8' }).end(page);
        });
      };
    },
  };
}

function htmlFiles(site: Site, frame: Frame): { fileName: string; source: string }[] {
  const order = readingOrder(site.navigation);
  const positions = new Map(order.map(({ path }, index) => [path, index]));
  const isLarge = site.pages.length > largeSite;
  const sidebar = (path: string) => sidebarHtml(site.navigation, path, frame.base, isLarge);
  const files = site.pages.map((page) => {
    const position = positions.get(page.path) ?? -1;
    const place = {
      sidebar: sidebar(page.path),
      trail: trailTo(page.path, site.navigation),
      previous: order[position - 1],
      next: order[position + 1],
    };
    return { fileName: toFileName(page.path), source: pageHtml(page, place, frame) };
  });
  // If a folder has no start page, its root shows the first page.
  if (!positions.has('/') && order[0]) {
    files.push({ fileName: 'index.html', source: forward(frame.base, order[0].path) });
  }
  files.push({ fileName: '404.html', source: notFoundHtml(sidebar(''), frame) });
  return files;
}

function toFileName(path: string): string {
  return path === '/' ? 'index.html' : `${path.slice(1)}.html`;
}

function forward(base: string, path: string): string {
  const target = base.replace(/\/$/, '') + encodeURI(path).replaceAll('"', '%22');
  return `<!doctype html><meta charset="utf-8"><title>Documentation</title><meta http-equiv="refresh" content="0; url=${target}"><a href="${target}">Documentation</a>`;
}
