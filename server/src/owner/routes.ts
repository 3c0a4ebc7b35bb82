/**
 * What the owner of a service looks after: sites, settings, and the state of the service. Not in the
 * service document.
 *   GET   /v1/sites                     sites with their pages and their last run
 *   GET   /v1/sites/{domain}            one site with its sources
 *   POST  /v1/sites/{domain}/tag       the script tag's address and key, and where it goes
 *   POST  /v1/sites/{domain}/check      checks its sources, its tag, and its links
 *   GET   /v1/sites/{domain}/settings   what may change while the service runs, and where it comes from
 *   PATCH /v1/sites/{domain}/settings   changes it; the configuration file wins
 *   GET   /v1/settings                  the effective configuration
 *   GET   /v1/health                    version, database, disk, engine, queue, recent errors
 *   POST  /v1/health/model              asks a model for one word
 */
import { ModelCheckRequest, SiteSettingsRequest } from '@docent/shared/sites';
import { type Request, type Response, Router } from 'express';
import type { Services } from '../compose.ts';
import { editorOf } from '../platform/auth/key-routes.ts';
import { clientGone, jsonBody, parse } from '../platform/http/request.ts';
import { callerOf, organizationOf } from '../platform/http/require-key.ts';
import { checkModel } from './doctor/check-model.ts';
import { checkSite } from './doctor/check-site.ts';
import { describeHealth } from './health.ts';
import { describeSettings } from './settings.ts';
import { describeSite, describeTag, summarizeSite } from './sites.ts';

type OfSite = Request<{ domain: string }>;

export function createOwnerRoutes(services: Services): Router {
  const { mayAccess, sites, siteSettings } = services;
  const router = Router({ strict: true, caseSensitive: true });
  const siteOf = (request: OfSite, response: Response) =>
    sites.forCaller(request.params.domain, callerOf(response));

  router.get('/v1/sites', ...mayAccess, async (_request: Request, response: Response) => {
    const theirs = sites.ofCaller(callerOf(response));
    response.json({
      sites: await Promise.all(theirs.map((site) => summarizeSite(site, services))),
    });
  });

  router.get('/v1/sites/:domain', ...mayAccess, async (request: OfSite, response: Response) => {
    response.json(await describeSite(siteOf(request, response), services));
  });

  router.post(
    '/v1/sites/:domain/tag',
    ...mayAccess,
    async (request: OfSite, response: Response) => {
      const by = editorOf(callerOf(response), request);
      response.json(await describeTag(siteOf(request, response), services, by));
    },
  );

  router.post(
    '/v1/sites/:domain/check',
    ...mayAccess,
    async (request: OfSite, response: Response) => {
      const findings = await checkSite(siteOf(request, response), services, clientGone(response));
      response.json({ findings });
    },
  );

  router
    .route('/v1/sites/:domain/settings')
    .get(...mayAccess, async (request: OfSite, response: Response) => {
      response.json(await siteSettings.read(siteOf(request, response)));
    })
    .patch(...mayAccess, jsonBody, async (request: OfSite, response: Response) => {
      const site = siteOf(request, response);
      const change = parse(SiteSettingsRequest, request.body);
      response.json(await siteSettings.change(site, change, callerOf(response).keyId));
    });

  router.get('/v1/settings', ...mayAccess, (_request: Request, response: Response) => {
    response.json(describeSettings(services, organizationOf(callerOf(response))));
  });

  router.get('/v1/health', ...mayAccess, async (_request: Request, response: Response) => {
    response.json(await describeHealth(services, organizationOf(callerOf(response))));
  });

  router.post(
    '/v1/health/model',
    ...mayAccess,
    jsonBody,
    async (request: Request, response: Response) => {
      organizationOf(callerOf(response));
      const { model } = parse(ModelCheckRequest, request.body);
      response.json({ findings: [await checkModel(services, model)] });
    },
  );

  return router;
}
