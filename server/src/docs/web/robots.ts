/** What a `robots.txt` allows, as a worker reads it: rules times addresses can be many. */
import robotsParserModule from 'robots-parser';
import { DocentError } from '../../platform/errors.ts';
import { robotName } from './web-client.ts';

const robotsParser = robotsParserModule as unknown as (
  url: string,
  text: string,
) => {
  isAllowed(url: string, robot: string): boolean | undefined;
  getCrawlDelay(robot: string): number | undefined;
};

export interface RobotsFile {
  url: string;
  text: string;
}

/** Each address is compared with each of them. To leave some out would be to read what the site forbids. */
const maxRules = 5_000;

let last: { file: RobotsFile; rules: ReturnType<typeof robotsParser> } | undefined;

/** Whether each address may be read, and the delay between two requests that the site asks for. */
export function readRobots(
  addresses: readonly string[],
  file: RobotsFile = { url: '', text: '' },
): { isAllowed: boolean[]; delaySeconds: number } {
  if (last?.file !== file) {
    const rules = file.text.match(/^[ \t]*(?:dis)?allow\b/gim)?.length ?? 0;
    if (rules > maxRules) {
      const most = maxRules.toLocaleString('en');
      throw new DocentError('bad_request', `${file.url} has more than ${most} rules.`);
    }
    last = { file, rules: robotsParser(file.url, file.text) };
  }
  const { rules } = last;
  return {
    isAllowed: addresses.map((address) => rules.isAllowed(address, robotName) !== false),
    delaySeconds: rules.getCrawlDelay(robotName) ?? 0,
  };
}
