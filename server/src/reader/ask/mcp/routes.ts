/**
 * The Model Context Protocol (Streamable HTTP, without sessions): agents search and read a site.
 *   POST /mcp/{domain}  one JSON-RPC message, answered as JSON
 */
import { type Request, type Response, Router } from 'express';
import { clientGone, jsonBody } from '../../../platform/http/request.ts';
import { requestIdOf } from '../../../platform/http/record-requests.ts';
import { requireKey } from '../../../accounts/require-key.ts';
import type { Keys } from '../../../accounts/keys/keys.ts';
import type { Limits } from '../../../platform/limits/limits.ts';
import type { ToolDeps } from './server.ts';
import type { Sites } from '../../../platform/tenants/sites.ts';
import { callerOf } from '../../../platform/auth/caller.ts';

export interface McpDeps extends ToolDeps {
  keys: Keys;
  limits: Limits;
  sites: Sites;
}

export function createMcpRoutes(deps: McpDeps): Router {
  const { keys, limits, sites } = deps;
  const router = Router({ strict: true, caseSensitive: true });

  router.post(
    '/mcp/:domain',
    limits.lookups.perAddress,
    requireKey(keys, 'mcp'),
    jsonBody,
    async (request: Request<{ domain: string }>, response: Response) => {
      const site = sites.forCaller(request.params.domain, callerOf(response));
      // Loaded by the first request, because most services never get one.
      const { handleMessage, readMessage } = await import('./server.ts');
      const message = readMessage(request.body, request.get('mcp-protocol-version'));
      // Tools ask no model, so a call is a look-up. Listing the tools doesn't count.
      if ('method' in message && message.method === 'tools/call') {
        await limits.lookups.perCaller(request, response);
      }
      const by = { caller: callerOf(response), requestId: requestIdOf(response) };
      const answer = await handleMessage(message, site, by, deps, clientGone(response));
      if (answer) response.json(answer);
      else response.status(202).end();
    },
  );

  return router;
}
