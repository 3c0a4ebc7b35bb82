import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { DocentError } from '../../../platform/errors.ts';
import type { Site } from '../../../platform/tenants/sites.ts';
import { createTools, type ToolCaller, type ToolDeps } from './tools.ts';

/**
 * Reads the message of a request. A batch, which an old version of the protocol allowed, is refused,
 * because it would count as one request.
 */
export function readMessage(body: unknown, protocolVersion: string | undefined): JSONRPCMessage {
  if (protocolVersion !== undefined && !SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) {
    throw new DocentError(
      'bad_request',
      `This server does not speak this version of the Model Context Protocol; it speaks ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`,
    );
  }
  const message = JSONRPCMessageSchema.safeParse(body);
  if (!message.success) {
    throw new DocentError('bad_request', 'Send one JSON-RPC 2.0 message as the body.');
  }
  return message.data;
}

/**
 * Answers one message with a new server; returns `undefined` if there is nothing to answer. The SDK's own
 * HTTP transport isn't used, because its errors have another format than ours.
 */
export async function handleMessage(
  message: JSONRPCMessage,
  site: Site,
  caller: ToolCaller,
  deps: ToolDeps,
  signal: AbortSignal,
): Promise<JSONRPCMessage | undefined> {
  if (!isJSONRPCRequest(message)) return undefined;
  const server = createTools(site, caller, deps);
  const [client, served] = InMemoryTransport.createLinkedPair();
  try {
    const answer = new Promise<JSONRPCMessage>((resolve, reject) => {
      client.onmessage = (reply) => {
        if ('id' in reply && reply.id === message.id) resolve(reply);
      };
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    await server.connect(served);
    signal.throwIfAborted();
    await client.send(message);
    return await answer;
  } finally {
    // This also ends the search of a client that has left.
    await server.close();
  }
}
