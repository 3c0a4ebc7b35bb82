import robotsParserModule from 'robots-parser';
import { DocentError } from '../../platform/errors.ts';
import { robotName, type WebClient } from './web-client.ts';

export interface Robots {
  allows(url: URL): boolean;
  /** The delay between two requests that the site asks for. */
  delayMs: number;
}

const robotsParser = robotsParserModule as unknown as (
  url: string,
  text: string,
) => {
  isAllowed(url: string, robot: string): boolean | undefined;
  getCrawlDelay(robot: string): number | undefined;
};

/** A longer delay means that the site doesn't want to be crawled. */
const maxDelayMs = 30_000;

/**
 * By RFC 9309, a missing file allows everything. A server error allows nothing, so the run fails and the
 * index stays as it was.
 */
export async function readRobots(
  client: WebClient,
  origin: URL,
  signal?: AbortSignal,
): Promise<Robots> {
  const url = new URL('/robots.txt', origin);
  const { status, body } = await client.get(url, { maxBytes: 500_000, signal });
  if (status === 429 || status >= 500) {
    throw new DocentError('unavailable', `${url.href} could not be read: it answered ${status}.`);
  }
  if (status !== 200) return { allows: () => true, delayMs: 0 };
  const rules = robotsParser(url.href, body.toString('utf8'));
  return {
    allows: (page) => rules.isAllowed(page.href, robotName) !== false,
    delayMs: Math.min((rules.getCrawlDelay(robotName) ?? 0) * 1000, maxDelayMs),
  };
}
