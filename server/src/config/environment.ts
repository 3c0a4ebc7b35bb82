/** The only reader of `process.env`. Secrets come from here and from nowhere else. */
import { z } from 'zod';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const Environment = z.object({
  /** How much is logged. */
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
  /** PostgreSQL in place of the file in the data folder, for several server processes. */
  DATABASE_URL: z
    .string()
    .refine(
      (value) => value === '' || (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value)),
      // It holds a password: what stands there is not repeated.
      'must be the address of a PostgreSQL database, such as postgres://docent:password@db.example.com:5432/docent; leave it out to keep everything in the data folder',
    )
    .optional(),
});

export interface Environment {
  logLevel: (typeof logLevels)[number];
  /** Where PostgreSQL is, with the password; `undefined`: everything is in the data folder. */
  databaseUrl: string | undefined;
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
      databaseUrl: (read.success && read.data.DATABASE_URL) || undefined,
      secret: (name) => variables[name] || undefined,
    },
    mistakes: read.success
      ? []
      : read.error.issues.map((issue) => `${issue.path.join('.')} (environment) ${issue.message}`),
  };
}
