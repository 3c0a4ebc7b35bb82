import { type DestinationStream, type Logger, pino } from 'pino';
import { redact } from './redaction/redact.ts';

export type { Logger } from 'pino';

/** Places where a secret may stand in something that is logged. */
const secrets = ['authorization', 'token', 'key', 'apiKey', 'headers.authorization', 'cookie'];

/**
 * Structured logs, one JSON object a line, on standard error unless tests `write` elsewhere. Prompts
 * and answers are never logged above debug; whatever is logged is redacted.
 */
export function createLog(level: string, write?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      redact: { paths: [...secrets, ...secrets.map((name) => `*.${name}`)], censor: '[redacted]' },
      hooks: { streamWrite: redactLine },
    },
    write ?? pino.destination({ dest: 2, sync: true }),
  );
}

/** Every text in a line is redacted by itself, so that the line stays JSON. */
function redactLine(line: string): string {
  return line.replace(/"(?:[^"\\]|\\.)*"/g, (json) => {
    if (!json.includes('\\')) return `"${redact(json.slice(1, -1))}"`;
    return JSON.stringify(redact(JSON.parse(json) as string));
  });
}

/**
 * An error without what it may carry along: providers hang the prompt, the answer and headers on
 * theirs, as properties and at the end of the message.
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  return {
    type: error.name,
    message: error.message.split(/\b(?:Value|Text|Body):/)[0]?.slice(0, 300),
    ...(typeof code === 'string' && { code }),
    ...(typeof statusCode === 'number' && { statusCode }),
    stack: error.stack?.match(/^ {4}at .*$/gm)?.join('\n'),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
