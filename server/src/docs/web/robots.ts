/** What a `robots.txt` allows, as a worker reads it: rules times addresses can be many. */
import robotsParserModule from 'robots-parser';
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

let last: { file: RobotsFile; rules: ReturnType<typeof robotsParser> } | undefined;

/** Whether each address may be read, and the delay between two requests that the site asks for. */
export function readRobots(
  addresses: readonly string[],
  file: RobotsFile = { url: '', text: '' },
): { isAllowed: boolean[]; delaySeconds: number } {
  if (last?.file !== file) last = { file, rules: robotsParser(file.url, file.text) };
  const { rules } = last;
  return {
    isAllowed: addresses.map((address) => rules.isAllowed(address, robotName) !== false),
    delaySeconds: rules.getCrawlDelay(robotName) ?? 0,
  };
}
