/**
 * Solves the proof of work in short slices on the main thread: a worker would need `worker-src` in
 * the page's policy, and the browser's own SHA-256 a secure page.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { toRefused } from './answer-error.ts';
import { readJson } from './limits.ts';
import type { Service } from './service.ts';

/** Shorter than half a frame. */
const sliceMs = 8;
/** The service's maximum. */
const maxNumbers = 100_000_000;

interface Challenge {
  challenge: string;
  salt: string;
  maxNumber: number;
  signature: string;
}

/** Returns the value of the question's header. */
export async function solveChallenge(service: Service, signal: AbortSignal): Promise<string> {
  const response = await service.call('/discovery/v1/challenge', { signal });
  if (!response.ok) throw await toRefused(response);
  const { challenge, salt, maxNumber, signature } = (await readJson(response)) as Challenge;
  if (!(maxNumber <= maxNumbers)) throw new Error('The challenge is too hard');
  const number = await findNumber(challenge, salt, maxNumber, signal);
  return btoa(JSON.stringify({ algorithm: 'SHA-256', challenge, salt, number, signature }));
}

export async function findNumber(
  challenge: string,
  salt: string,
  maxNumber: number,
  signal?: AbortSignal | null,
): Promise<number> {
  const encoder = new TextEncoder();
  const wanted = challenge.match(/../g)?.map((hex) => parseInt(hex, 16)) ?? [];
  let number = 0;
  while (number <= maxNumber) {
    signal?.throwIfAborted();
    for (const end = performance.now() + sliceMs; performance.now() < end;) {
      for (const last = Math.min(maxNumber, number + 50); number <= last; number++) {
        const hash = sha256(encoder.encode(`${salt}${number}`));
        if (hash[0] === wanted[0] && wanted.every((byte, index) => hash[index] === byte)) {
          return number;
        }
      }
      if (number > maxNumber) break;
    }
    await new Promise((resolve) => setTimeout(resolve));
  }
  throw new Error('The challenge has no solution');
}
