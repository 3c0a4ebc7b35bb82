/** The Model Context Protocol (Streamable HTTP, without sessions): agents search and read a site. */
import { z } from 'zod';
import { endpointsOf, json, sent } from '../../../platform/http/endpoint.ts';
import { requestIdOf } from '../../../platform/http/record-requests.ts';
import { jsonBody } from '../../../platform/http/request.ts';
import type { Limits } from '../../../platform/limits/limits.ts';
import type { ToolDeps } from './server.ts';

interface McpDeps extends ToolDeps {
  limits: Limits;
}

export const mcpEndpoints = [
  endpointsOf<McpDeps>('Agents')('POST /mcp/{domain}', {
    id: 'sendMcpMessage',
    summary: 'Model Context Protocol',
    description: 'Streamable HTTP without sessions: one JSON-RPC message, answered as JSON.',
    who: { key: 'mcp' },
    before: () => [jsonBody],
    checksBody: true,
    body: z.strictObject({
      jsonrpc: z.literal('2.0'),
      id: z.union([z.string(), z.int()]).optional(),
      method: z.string(),
      params: z.looseObject({}).optional(),
    }),
    reply: [
      json(z.looseObject({ jsonrpc: z.literal('2.0') }), 'The answer to a request.'),
      { status: 202, description: 'A notification was taken.' },
    ],
    async run({ site, caller, request, response, signal }, deps) {
      // Loaded by the first request, because most services never get one.
      const { handleMessage, readMessage } = await import('./server.ts');
      const message = readMessage(request.body, request.get('mcp-protocol-version'));
      // Tools ask no model, so a call is a look-up. Listing the tools doesn't count.
      if ('method' in message && message.method === 'tools/call') {
        await deps.limits.lookups.perCaller(request, response);
      }
      const by = { caller, requestId: requestIdOf(response) };
      const answer = await handleMessage(message, site, by, deps, signal);
      if (answer) return answer;
      response.status(202).end();
      return sent;
    },
  }),
];
