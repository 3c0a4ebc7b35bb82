/**
 * The pages of `docent start`: the assistant over the owner's documentation, before any site has it.
 *   GET  /preview/{domain}/{path}  an indexed page, and the list of all
 * `docent serve` doesn't have them.
 */
import { type RequestHandler, Router } from 'express';
import { readAssets } from './assets.ts';
import { markup } from './html.ts';
import { type Page as HtmlPage, writePage } from './layout.ts';
import { fillMarkdown, renderMarkdown } from './markdown.ts';
import type { Services } from '../../compose.ts';
import { DocentError } from '../../platform/errors.ts';
import { isLoopback } from '../../platform/network/loopback.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { Page } from '../../retrieval/retriever.ts';
import { siteKey } from '../site-key.ts';

/** A list of more is of no use. */
const maxListed = 500;

export function createPreviewRoutes(services: Services): Router {
  const { retriever, sites } = services;
  const assets = readAssets();
  const router = Router({ strict: true, caseSensitive: true });
  for (const [path, { type, bytes }] of assets.files) {
    router.get(path, (_request, response) => {
      response.set('Cache-Control', 'public, max-age=31536000, immutable').type(type).send(bytes);
    });
  }
  router.use('/preview', requireOwnHost(services));
  router.get(['/preview/:domain{/*path}', '/preview/:domain/'], async (request, response, next) => {
    const { domain = '', path = [] } = request.params as { domain?: string; path?: string[] };
    const site = sites.find(domain);
    if (!site) return next();
    const known = [...(await retriever.hashes(domain)).keys()].toSorted();
    const listed = known.slice(0, maxListed);
    // Pages for groups can't be opened here.
    const isOpen = await Promise.all(listed.map((each) => retriever.page(domain, each)));
    const paths = listed.filter((_, index) => isOpen[index]);
    const more = known.length - listed.length;
    const page = await retriever.page(domain, `/${path.join('/')}`);
    if (!page && path.length > 0) return next();
    response.type('html').set('Cache-Control', 'no-store');
    const content = show(site, page, { paths, more }, await siteKey(services, site));
    response.send(await fillMarkdown(writePage(content, assets)));
  });

  function show(
    site: Site,
    page: Page | undefined,
    { paths, more }: { paths: string[]; more: number },
    key: string,
  ): HtmlPage {
    const home = `/preview/${site.domain}`;
    const link = (path: string) =>
      markup`<li><a href="${home}${encodeURI(path)}"${path === page?.path && markup` aria-current="page"`}>${path}</a></li>`;
    const title = page?.title ?? site.name;
    return {
      title,
      trail: [{ name: site.name, link: home }, ...(page ? [{ name: page.title }] : [])],
      body: markup`<article class="prose"><h1>${title}</h1>
${page && toSections(page)}
</article>
<nav aria-label="Indexed pages"><h2>Indexed pages</h2><ul>${paths.map(link)}</ul>${
        more > 0 && markup`<p>And ${more} more.</p>`
      }</nav>`,
      end: markup`<script src="${assets.script}" data-home="${home}" data-base="${site.docs.baseUrl ?? ''}"></script>
<script src="/docent.js" data-site="${site.domain}" data-key="${key}" async></script>`,
    };
  }
  return router;
}

/** The text of the index: what the assistant knows, with the anchors that citations lead to. */
function toSections({ passages }: Page) {
  return passages.map(({ anchor, heading, headingPath, markdown }, index) => {
    const isNew = anchor !== '' && anchor !== passages[index - 1]?.anchor;
    const title = markup`<a id="${anchor}"></a>${heading}`;
    const level = headingPath.length > 0 ? markup`<h3>${title}</h3>` : markup`<h2>${title}</h2>`;
    return markup`${isNew && level}${renderMarkdown(markdown, { prefix: `p${index}` })}`;
  });
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
