import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { DocentError } from '../../../platform/errors.ts';
import type { Site } from '../../../platform/tenants/sites.ts';
import { createTools, type ToolDeps } from './tools.ts';

/**
 * Reads the one message of a request. Several in one body, which one old version of the protocol
 * knew, are refused: they would count as a single request.
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
 * Answers one message with a server made for it; `undefined` where there is nothing to answer. The
 * SDK's own HTTP transport is not used, as its refusals have a shape of their own.
 */
export async function handleMessage(
  message: JSONRPCMessage,
  site: Site,
  parts: ToolDeps,
  signal: AbortSignal,
): Promise<JSONRPCMessage | undefined> {
  if (!isJSONRPCRequest(message)) return undefined;
  const server = createTools(site, parts);
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
    // Also ends a search whose client has left.
    await server.close();
  }
}
