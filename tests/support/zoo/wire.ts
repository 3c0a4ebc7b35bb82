/** What both halves of the zoo speak of. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export const personalities = [
  'tei',
  'llama-cpp',
  'ollama',
  'vllm',
  'lm-studio',
  'localai',
  'infinity',
] as const;
export type Personality = (typeof personalities)[number];

/** One request, as the personality's routes get it. */
export interface ZooCall {
  method: string;
  /** Without the query, such as `/v1/embeddings`. */
  path: string;
  headers: IncomingMessage['headers'];
  /** `{}` if the body isn't JSON. */
  body: Record<string, unknown>;
  /** In bytes. */
  bodyLength: number;
  /** Aborts when the client closes the connection. */
  left: AbortSignal;
  response: ServerResponse;
}

/** Routes that answer a call, or return false. */
export type ZooRoutes = (call: ZooCall) => Promise<boolean>;

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** The error forms differ: see each personality. */
export function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(text);
}
