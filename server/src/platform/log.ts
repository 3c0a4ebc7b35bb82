import { type DestinationStream, type Logger, pino } from 'pino';
import { hideOwnSecrets } from './redaction/own-secrets.ts';
import { redact } from './redaction/redact.ts';

export type { Logger } from 'pino';

const secrets = ['authorization', 'token', 'key', 'apiKey', 'headers.authorization', 'cookie'];

/**
 * Structured logs, one JSON object per line, on standard error unless tests `write` elsewhere. Prompts and
 * answers are only logged at the debug level. Everything is redacted.
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

export interface RecentError {
  time: string;
  level: 'warn' | 'error' | 'fatal';
  message: string;
}

const recentMax = 50;
const recent: RecentError[] = [];

/** The last warnings and errors of this process, the newest first. */
export const recentErrors = (): RecentError[] => recent.toReversed();

/** pino's numbers. */
const levels: Record<string, RecentError['level']> = { 40: 'warn', 50: 'error', 60: 'fatal' };

function remember(line: string): void {
  const level = levels[/^\{"level":(\d+)/.exec(line)?.[1] ?? ''];
  if (level === undefined) return;
  const { time, msg, err } = JSON.parse(line) as Record<string, unknown>;
  const cause = (err as { message?: unknown } | undefined)?.message;
  const message = [msg, cause].filter((each) => typeof each === 'string').join(': ');
  recent.push({ time: String(time), level, message: message.slice(0, 500) });
  if (recent.length > recentMax) recent.shift();
}

/** Redacts each text in a line separately, so that the line stays JSON. */
function redactLine(line: string): string {
  const redacted = line.replace(/"(?:[^"\\]|\\.)*"/g, (json) => {
    if (!json.includes('\\')) return `"${redact(json.slice(1, -1))}"`;
    return JSON.stringify(redact(JSON.parse(json) as string));
  });
  remember(redacted);
  return redacted;
}

/**
 * An error without the prompt, the answer, and the headers, which providers add as properties and at the
 * end of the message.
 */
export function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  return {
    type: error.name,
    // A secret that is cut off would no longer be recognized.
    message: hideOwnSecrets(error.message.split(/\b(?:Value|Text|Body):/)[0] ?? '').slice(0, 300),
    ...(typeof code === 'string' && { code }),
    ...(typeof statusCode === 'number' && { statusCode }),
    stack: error.stack?.match(/^ {4}at .*$/gm)?.join('\n'),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
