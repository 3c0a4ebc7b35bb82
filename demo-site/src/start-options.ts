/** `node demo-site/start.ts [--docs <folder>] [--port N] [--site-port N] [--watch]` */
import { parseArgs } from 'node:util';
import { StartError } from './start-error.ts';

export interface StartOptions {
  docsFolder?: string;
  port?: number;
  sitePort?: number;
  watch: boolean;
  help: boolean;
}

export const usage = `npm start -- [options]

  --docs <folder>      use your own Markdown and MDX instead of Docent's documentation
  --port <number>      port of Docent (default: 4320, or the next free port)
  --site-port <number> port of the site (default: 4321, or the next free port)
  --watch              update the index and the site when a file changes
  --help               show this help`;

export function readStartOptions(args: string[]): StartOptions {
  const { values, tokens } = parseArgs({
    args,
    strict: false,
    tokens: true,
    options: {
      docs: { type: 'string' },
      port: { type: 'string' },
      'site-port': { type: 'string' },
      watch: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const known = new Set(['docs', 'port', 'site-port', 'watch', 'help']);
  for (const token of tokens) {
    if (token.kind === 'positional') {
      throw new StartError(
        `"${token.value}" isn’t an option. If it’s the folder of your pages, write --docs ${token.value}.`,
      );
    }
    if (token.kind === 'option' && !known.has(token.name)) {
      throw new StartError(
        `${token.rawName} isn’t an option. The options are --docs, --port, --site-port, --watch, and --help.`,
      );
    }
  }
  const { docs } = values;
  if (docs !== undefined && (typeof docs !== 'string' || !docs)) {
    throw new StartError('--docs needs a folder: --docs ./docs');
  }
  const port = readPort('--port', values['port']);
  const sitePort = readPort('--site-port', values['site-port']);
  return {
    ...(docs === undefined ? {} : { docsFolder: docs }),
    ...(port === undefined ? {} : { port }),
    ...(sitePort === undefined ? {} : { sitePort }),
    watch: values['watch'] === true,
    help: values['help'] === true,
  };
}

function readPort(option: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const port = Number(value);
  if (typeof value === 'string' && /^\d+$/.test(value) && port <= 65_535) return port;
  throw new StartError(`${option} needs a port from 0 to 65535, such as ${option} 4320.`);
}
