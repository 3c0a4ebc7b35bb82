/** The only reader of `process.env`. Secrets come from here and from nowhere else. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unescape } from 'node:querystring';
import { parseEnv } from 'node:util';
import { trimEndOf } from '../text.ts';
import { z } from 'zod';
import { DocentError } from '../errors.ts';
import { isPasswordHash } from '../auth/passwords.ts';

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** Empty is as good as not set. The value may contain a secret, so the message doesn't repeat it. */
const checked = (isRight: (value: string) => boolean, message: string) =>
  z
    .string()
    .refine((value) => value === '' || isRight(value), message)
    .optional();

const collector = (example: string) =>
  checked(
    (value) => /^https?:\/\//i.test(value) && URL.canParse(value),
    `must be the HTTP address of an OpenTelemetry collector, such as ${example}`,
  );

// Collectors that speak OTLP over HTTP take both; this service sends JSON.
const protocol = z
  .enum(['', 'http/json', 'http/protobuf'], {
    error:
      'must be http/json, or left out; traces go over HTTP, which collectors take at port 4318',
  })
  .optional();

const Environment = z.object({
  /** How much is logged. */
  LOG_LEVEL: z.enum(logLevels, { error: `must be one of ${logLevels.join(', ')}` }).default('info'),
  /** PostgreSQL instead of the file in the data folder, for several server processes. */
  DATABASE_URL: checked(
    (value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value),
    'must be the address of a PostgreSQL database, such as postgres://docent:password@db.example.com:5432/docent; leave it out to keep everything in the data folder',
  ),
  /** The first account, made at start if there is none. */
  DOCENT_OWNER_EMAIL: z
    .literal('')
    .or(z.email('must be the email address of the owner'))
    .optional(),
  DOCENT_OWNER_PASSWORD_HASH: checked(
    isPasswordHash,
    'must be an Argon2id hash in the PHC format, such as $argon2id$v=19$m=19456,t=2,p=1$…$…, with at most 128 MB; in a file, put it in single quotes because of its $',
  ),
  /** Encrypts the credentials of hosts that are connected in the dashboard. By default, a file of the data folder does. */
  DOCENT_CREDENTIALS_KEY: checked(
    ({ length }) => length >= 32,
    'must be a random text of at least 32 characters, such as the output of `openssl rand -base64 32`',
  ),
  /** OpenTelemetry's own variables: where traces go. Without an address there are none. */
  OTEL_EXPORTER_OTLP_ENDPOINT: collector('http://localhost:4318'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector('http://localhost:4318/v1/traces'),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  OTEL_TRACES_EXPORTER: z.string().optional(),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
});

export interface TracesTarget {
  url: string;
  serviceName: string | undefined;
}

export interface Environment {
  logLevel: (typeof logLevels)[number];
  /** The address of PostgreSQL, with the password; `undefined` if everything is in the data folder. */
  databaseUrl: string | undefined;
  /** The first account, if there is none when the server starts. */
  owner: { email: string; passwordHash: string } | undefined;
  /** What encrypts credentials; `undefined`: the file in the data folder does. */
  credentialsKey: string | undefined;
  /** `undefined` if tracing is off. */
  traces: TracesTarget | undefined;
  /**
   * The value of a variable that the configuration names, such as a model's key; `undefined` if it's unset or
   * empty. Throws if `needs` has put off its mistake.
   */
  secret(name: string): string | undefined;
  /** The mistake, if the variable isn't set; none if it's a mistake only once somebody uses the variable. */
  needs(name: string, mistake: string): string[];
}

/** The variables of the environment, and those of `.env` in this folder that the environment doesn't have. */
export function variablesFor(folder: string): NodeJS.ProcessEnv {
  const file = join(folder, '.env');
  return { ...(existsSync(file) && parseEnv(readFileSync(file, 'utf8'))), ...process.env };
}

/** The service's own variables that are secrets, or addresses that may contain one. */
const ownSecrets = ['DATABASE_URL', 'DOCENT_OWNER_PASSWORD_HASH', 'DOCENT_CREDENTIALS_KEY'];
const collectors = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

/** Every variable of the service's own; the others are named in the configuration. */
export const ownVariables = Object.keys(Environment.shape).map((name) => ({
  name,
  isSecret: [...ownSecrets, ...collectors].includes(name),
}));
/** `name=value,name=value`, in which values are encoded as in addresses. */
const headers = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];

/** The variables that the configuration names: its settings whose names end with `Env`. */
export function namedVariables(settings: unknown): string[] {
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([name, value]) =>
    typeof value === 'string' && name.endsWith('Env') ? [value] : namedVariables(value),
  );
}

/** What must not leave the service: the values of its variables, and the passwords in those that are addresses. */
export function secretValues(
  config: unknown,
  variables: NodeJS.ProcessEnv = process.env,
): string[] {
  const values = (names: readonly string[]) => names.map((name) => variables[name] ?? '');
  const passwords = (value: string) => {
    const password = URL.canParse(value) ? new URL(value).password : '';
    return [password, unescape(password)];
  };
  const secret = values([...namedVariables(config), ...ownSecrets]);
  return [
    ...secret,
    ...[...secret, ...values(collectors)].flatMap(passwords),
    ...values(headers).flatMap((pairs) =>
      pairs
        .split(',')
        .map((pair) => pair.slice(pair.indexOf('=') + 1).replace(/^\w+(?:%20| )/, '')),
    ),
  ];
}

export function readEnvironment(
  variables: NodeJS.ProcessEnv = process.env,
  { isLazy = false } = {},
): {
  environment: Environment;
  mistakes: string[];
} {
  const unset = new Map<string, string>();
  const { data, error } = Environment.safeParse(variables);
  const { DOCENT_OWNER_EMAIL: email, DOCENT_OWNER_PASSWORD_HASH: passwordHash } = data ?? {};
  return {
    environment: {
      logLevel: data?.LOG_LEVEL ?? 'info',
      databaseUrl: data?.DATABASE_URL || undefined,
      owner: email && passwordHash ? { email: email.toLowerCase(), passwordHash } : undefined,
      credentialsKey: data?.DOCENT_CREDENTIALS_KEY || undefined,
      traces: data && toTracesTarget(data),
      secret(name) {
        const mistake = unset.get(name);
        if (mistake !== undefined) throw new DocentError('bad_request', `The setting ${mistake}.`);
        return variables[name] || undefined;
      },
      needs(name, mistake) {
        if (variables[name]) return [];
        if (!isLazy) return [mistake];
        if (!unset.has(name)) unset.set(name, mistake);
        return [];
      },
    },
    mistakes: [
      ...(error?.issues ?? []).map(
        ({ path, message }) => `${path.join('.')} (environment) ${message}`,
      ),
      ...(!error && !email !== !passwordHash
        ? [
            'DOCENT_OWNER_EMAIL and DOCENT_OWNER_PASSWORD_HASH (environment) belong together; set both',
          ]
        : []),
    ],
  };
}

function toTracesTarget(variables: z.infer<typeof Environment>): TracesTarget | undefined {
  const isOff =
    variables.OTEL_SDK_DISABLED?.toLowerCase() === 'true' ||
    variables.OTEL_TRACES_EXPORTER === 'none';
  const base = variables.OTEL_EXPORTER_OTLP_ENDPOINT;
  // The general address is for all signals. The one for traces is used as it is.
  const url =
    variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || (base && `${trimEndOf(base, '/')}/v1/traces`);
  if (isOff || !url) return undefined;
  return { url, serviceName: variables.OTEL_SERVICE_NAME };
}
