/**
 *   GET /openapi.json  the description of the API, for people, tools and generated clients
 */
import { Router } from 'express';
import { openApiDocument } from './document.ts';

export function createOpenApiRoutes(): Router {
  const router = Router({ strict: true, caseSensitive: true });
  router.get('/openapi.json', (_request, response) => {
    // It says nothing of this installation, so tools on any page may show it.
    response.set('Access-Control-Allow-Origin', '*').set('Cache-Control', 'public, max-age=300');
    response.json(openApiDocument());
  });
  return router;
}
