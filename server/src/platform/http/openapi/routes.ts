import { z } from 'zod';
import { endpointsOf, json } from '../endpoint.ts';

export const openApiEndpoints = [
  endpointsOf<{ api: () => Record<string, unknown> }>('Operations')('GET /openapi.json', {
    id: 'getOpenApi',
    summary: 'This document',
    who: 'public',
    limit: 'none',
    reply: json(z.looseObject({ openapi: z.string() }), 'The description of the API.'),
    run({ response }, { api }) {
      // It says nothing of this installation, so tools on any page may show it.
      response.set('Access-Control-Allow-Origin', '*').set('Cache-Control', 'public, max-age=300');
      return api() as { openapi: string };
    },
  }),
];
