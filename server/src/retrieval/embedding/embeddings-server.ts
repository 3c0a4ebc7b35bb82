/**
 * Requests to a server with OpenAI's `/embeddings`. `node:http` has no time limits of its own, and a model
 * that loads takes minutes; `fetch` ends every request after five.
 */
import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { retryAfterMs } from '../../platform/network/retry-after.ts';
import { EmbedderFault, toFault } from './embedder-fault.ts';
import { type Embedded, readVectors } from './read-vectors.ts';

export interface EmbeddingsServerOptions {
  baseUrl: string;
  model: string;
  dimensions: number;
  apiKey?: string | undefined;
}

export type EmbeddingsServer = ReturnType<typeof createEmbeddingsServer>;

/** The longest response, in characters. */
const maxLength = 1 << 28;

export function createEmbeddingsServer(options: EmbeddingsServerOptions) {
  const url = new URL(`${options.baseUrl}/embeddings`);
  const isSecure = url.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const send = isSecure ? httpsRequest : httpRequest;

  function open(body: string, signal: AbortSignal, isAgain = false): Promise<IncomingMessage> {
    const { apiKey } = options;
    return new Promise((resolve, reject) => {
      const request = send(url, {
        method: 'POST',
        agent,
        signal,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': 'docent',
          'content-length': String(Buffer.byteLength(body)),
          ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        },
      });
      request.once('response', resolve);
      request.once('error', (error) => {
        // The server closed the kept connection just now.
        if (request.reusedSocket && !isAgain && !signal.aborted)
          open(body, signal, true).then(resolve, reject);
        else reject(error);
      });
      request.end(body);
    });
  }

  return {
    model: options.model,
    origin: url.origin,
    /** One vector per text. Rejects with an `EmbedderFault`, or with the reason of `signal`. */
    async ask(input: readonly string[], signal: AbortSignal): Promise<Embedded> {
      const { model, dimensions, apiKey = '\0' } = options;
      const body = JSON.stringify({ model, input, encoding_format: 'float' });
      let status: number;
      let text = '';
      let pause: number | undefined;
      try {
        const response = await open(body, signal);
        status = response.statusCode ?? 0;
        pause = retryAfterMs(response.headers);
        for await (const piece of response.setEncoding('utf8')) {
          text += piece as string;
          if (text.length > maxLength) break;
        }
      } catch (cause) {
        signal.throwIfAborted();
        const { code, message } = cause as NodeJS.ErrnoException;
        throw new EmbedderFault('unreachable', { said: code ?? message, cause });
      }
      if (status === 200) return readVectors(text, input.length, dimensions);
      throw toFault(status, text.slice(0, 4096).replaceAll(apiKey, '…'), pause);
    },
    close: () => agent.destroy(),
  };
}
