/** The only reader of `process.env`. Secrets come from here and from nowhere else. */
import { z } from 'zod';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const Environment = z.object({
  /** How much is logged. */
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
});

export interface Environment {
  logLevel: (typeof logLevels)[number];
  /** The value of a variable that the configuration names, such as a model's key; `undefined` where it is unset or empty. */
  secret(name: string): string | undefined;
}

export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): {
  environment: Environment;
  mistakes: string[];
} {
  const read = Environment.safeParse(variables);
  return {
    environment: {
      logLevel: read.success ? read.data.LOG_LEVEL : 'info',
      secret: (name) => variables[name] || undefined,
    },
    mistakes: read.success
      ? []
      : read.error.issues.map((issue) => `${issue.path.join('.')} (environment) ${issue.message}`),
  };
}
