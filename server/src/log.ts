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
      redact: { paths: [...secrets, ...secrets.map((name) => `*.${name}`)], censor: '[redacted]' },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
