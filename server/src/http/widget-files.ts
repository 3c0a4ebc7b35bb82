import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { type Response, Router } from 'express';

/** The widget is a package beside this one; its built files are what pages load. */
const builtWidget = fileURLToPath(
  new URL('dist/', import.meta.resolve('@docent/widget/package.json')),
);

/** The widget's files: the loader, which pages name, and its chunks, whose names change with their content. */
export function createWidgetFiles(folder = builtWidget): Router {
  const router = Router();
  const anyPage = (response: Response) => {
    response.set('Access-Control-Allow-Origin', '*');
    response.set('Cross-Origin-Resource-Policy', 'cross-origin');
  };
  router.use(
    '/docent.js',
    express.static(join(folder, 'docent.js'), { maxAge: '1m', setHeaders: anyPage }),
  );
  router.use(
    '/widget',
    express.static(join(folder, 'widget'), {
      immutable: true,
      maxAge: '365d',
      index: false,
      redirect: false,
      setHeaders: anyPage,
    }),
  );
  return router;
}

export function isWidgetBuilt(folder = builtWidget): boolean {
  return existsSync(join(folder, 'docent.js'));
}
