import robotsParserModule from 'robots-parser';
import { DocentError } from '../../platform/errors.ts';
import { robotName, type WebClient } from './web-client.ts';

export interface Robots {
  allows(url: URL): boolean;
  /** What the site asks to be left between two requests. */
  delayMs: number;
}

const robotsParser = robotsParserModule as unknown as (
  url: string,
  text: string,
) => {
  isAllowed(url: string, robot: string): boolean | undefined;
  getCrawlDelay(robot: string): number | undefined;
};

/** A longer one is a way to say that nobody shall crawl. */
const longestDelayMs = 30_000;

/**
 * RFC 9309: no file allows everything; a file that cannot be read because the server is in trouble
 * allows nothing, so the run ends there and the index stays.
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
    delayMs: Math.min((rules.getCrawlDelay(robotName) ?? 0) * 1000, longestDelayMs),
  };
}
