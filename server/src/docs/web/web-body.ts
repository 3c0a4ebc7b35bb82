import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, gunzipSync } from 'node:zlib';
import { DocentError } from '../../platform/errors.ts';

/** Reads and decompresses a body up to a limit, because a small download may expand to any size. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const unpack = decompressor(response.headers['content-encoding']);
  const stream = unpack ? response.pipe(unpack) : response;
  // A connection error must also end reading from the decompressor.
  if (unpack) response.on('error', (error) => unpack.destroy(error));
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } finally {
    if (!response.complete || length > maxBytes) response.destroy();
    unpack?.destroy();
  }
  return Buffer.concat(chunks);
}

function decompressor(encoding: string | undefined): Transform | undefined {
  switch ((encoding ?? '').trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

/** Decompresses a file such as `sitemap.xml.gz`. */
export function gunzipFile(body: Buffer, maxBytes: number): Buffer {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b;
  if (!isGzip) return body;
  try {
    return gunzipSync(body, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
    throw new DocentError('bad_request', 'A compressed file could not be unpacked.', {
      cause: error,
    });
  }
}

function tooLarge(maxBytes: number): DocentError {
  return new DocentError('too_large', `It is larger than ${Math.round(maxBytes / 1e6)} MB.`);
}
