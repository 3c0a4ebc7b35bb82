/** Reads `robots.txt`. A worker does it: each link is compared with each rule. */
import robotsParserModule from 'robots-parser';
import { DocentError } from '../../platform/errors.ts';
import { robotName } from './web-client.ts';

export interface RobotsFile {
  url: string;
  text: string;
}

export interface RobotsAnswer {
  /** For each link, whether it may be requested. */
  allowed: boolean[];
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

/** To leave out rules would be to read what the site forbids. */
const maxRules = 5_000;
/** A longer delay means that the site doesn't want to be crawled. */
const maxDelayMs = 30_000;

let last: { file: RobotsFile; rules: ReturnType<typeof robotsParser> } | undefined;

export function readRobots(links: readonly string[], file?: RobotsFile): RobotsAnswer {
  if (!file) return { allowed: links.map(() => true), delayMs: 0 };
  if (last?.file !== file) {
    const rules = file.text.match(/^[ \t]*(?:dis)?allow[ \t]*:/gim)?.length ?? 0;
    if (rules > maxRules) {
      const most = maxRules.toLocaleString('en');
      throw new DocentError('bad_request', `${file.url} has more than ${most} rules.`);
    }
    last = { file, rules: robotsParser(file.url, file.text) };
  }
  const { rules } = last;
  return {
    allowed: links.map((link) => rules.isAllowed(link, robotName) !== false),
    delayMs: Math.min((rules.getCrawlDelay(robotName) ?? 0) * 1000, maxDelayMs),
  };
}
