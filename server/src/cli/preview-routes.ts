/**
 * The pages of `docent start`: the assistant over the owner's documentation, before any site has it.
 *   GET  /preview/{domain}/{path}  an indexed page, and the list of all
 * `docent serve` doesn't have them. The dashboard's files draw them.
 */
import type { PreviewPage } from '@docent/shared/preview';
import { type RequestHandler, Router } from 'express';
import type { Services } from '../compose.ts';
import { DocentError } from '../platform/errors.ts';
import { readDashboardPage } from '../platform/http/dashboard-files.ts';
import { isLoopback } from '../platform/network/addresses.ts';
import { tagOf, siteKey } from './init/place-tag.ts';

/** A list of more is of no use. */
const maxListed = 500;

export function createPreviewRoutes(services: Services): Router {
  const { retriever, sites } = services;
  const router = Router({ strict: true, caseSensitive: true });
  router.use('/preview', requireOwnHost(services));
  router.get(['/preview/:domain{/*path}', '/preview/:domain/'], async (request, response, next) => {
    const { domain = '', path = [] } = request.params as { domain?: string; path?: string[] };
    const site = sites.find(domain);
    if (!site) return next();
    const known = [...(await retriever.hashes(domain)).keys()].toSorted();
    const listed = known.slice(0, maxListed);
    // Pages for groups can't be opened here.
    const isOpen = await Promise.all(listed.map((each) => retriever.page(domain, each)));
    const page = await retriever.page(domain, `/${path.join('/')}`);
    if (!page && path.length > 0) return next();
    const shown: PreviewPage = {
      site: { name: site.name, domain, baseUrl: site.docs.baseUrl ?? null },
      page: page
        ? {
            path: page.path,
            title: page.title,
            passages: page.passages.map(({ anchor, heading, headingPath, markdown }) => ({
              anchor,
              heading,
              isNested: headingPath.length > 0,
              markdown,
            })),
          }
        : null,
      paths: listed.filter((_, index) => isOpen[index]),
      more: known.length - listed.length,
    };
    // Nothing of a page ends the element.
    const data = JSON.stringify(shown).replaceAll('<', String.raw`\u003c`);
    const tag = tagOf({ src: '/docent.js', site: domain, key: await siteKey(services, site) });
    const end = `<script type="application/json" id="preview">${data}</script>${tag}</body>`;
    const html = await readDashboardPage('/dashboard/assets/');
    response.type('html').set('Cache-Control', 'no-store');
    response.send(html.replace('</body>', () => end));
  });
  return router;
}

/**
 * A web site whose name suddenly leads to this machine (DNS rebinding) could read private documentation and
 * its key. Browsers then name that site as the host.
 */
function requireOwnHost({ config, baseUrl }: Services): RequestHandler {
  return function requireOwnHost(request, _response, next) {
    const own = [config.server.publicUrl, baseUrl()].flatMap((url) =>
      url === undefined ? [] : [new URL(url).hostname],
    );
    const host = URL.parse(`http://${request.get('host') ?? ''}`)?.hostname ?? '';
    if (!isLoopback(host) && !own.includes(host)) {
      throw new DocentError(
        'forbidden',
        'Open this page under the address that docent start printed.',
      );
    }
    next();
  };
}
