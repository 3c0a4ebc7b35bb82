import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/** Places where a secret may stand in something that is logged. */
const secrets = ['authorization', 'token', 'key', 'apiKey', 'headers.authorization', 'cookie'];

/** Structured logs, one JSON object a line, on standard error. Prompts and answers are never logged above debug. */
export function createLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      redact: { paths: [...secrets, ...secrets.map((name) => `*.${name}`)], censor: '[redacted]' },
    },
    pino.destination({ dest: 2, sync: true }),
  );
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
