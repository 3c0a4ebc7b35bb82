/** Kinds of values in the configuration file. Every message says what to write instead. */
import { trimEndOf } from '../text.ts';
import { z } from 'zod';

/** "is missing; write …" or "is 12; write …". */
export function write(hint: string) {
  return {
    error: (issue: { input?: unknown }) =>
      issue.input === undefined
        ? `is missing; write ${hint}`
        : `is ${JSON.stringify(issue.input)?.slice(0, 80)}; write ${hint}`,
  };
}

/** Settings that belong together. */
export const object = <Shape extends z.core.$ZodLooseShape>(hint: string, shape: Shape) =>
  z.strictObject(shape, write(hint));

/** The same, where each of them has a default: they may be left out as a whole. */
export const section = <Shape extends z.core.$ZodLooseShape>(hint: string, shape: Shape) =>
  object(hint, shape).prefault({} as never);

export const list = <Item extends z.ZodType>(hint: string, item: Item) =>
  z.array(item, write(hint)).default([]);

export const flag = (usual: boolean) => z.boolean(write('true or false')).default(usual);

export function count(hint: string) {
  return z.number(write(hint)).int(write(hint)).positive(write(hint));
}

/** A text that isn't empty. */
export function text(hint: string) {
  return z.string(write(hint)).min(1, write(hint));
}

export function matching(pattern: RegExp, hint: string) {
  return z.string(write(hint)).regex(pattern, write(hint));
}

export function range(what: string, min: number, max: number) {
  const hint = write(`${what} from ${min} to ${max}`);
  return z.number(hint).min(min, hint).max(max, hint);
}

export const whole = (what: string, min: number, max: number) =>
  range(what, min, max).int(write(`${what} from ${min} to ${max}`));

export const port = whole('a port number', 0, 65_535);

export function amount(hint: string) {
  return z.number(write(hint)).positive(write(hint));
}

export function oneOf<const Words extends readonly string[]>(words: Words) {
  const quoted = words.map((word) => `"${word}"`);
  const list = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
  return z.enum(words, { error: `must be ${list}` });
}

export const name = (what: string, example: string) =>
  z
    .string(write(`${what}, such as "${example}"`))
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,62}$/,
      write(`${what} in lowercase letters, digits, "-", "_" or ".", such as "${example}"`),
    );

export const webAddress = (example: string, { keepSlash = false } = {}) => {
  const hint = write(`a full address, such as "${example}"`);
  return z
    .string(hint)
    .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), hint)
    .transform((value) => (keepSlash ? value : trimEndOf(value, '/')));
};

export const variable = z
  .string(write('the name of an environment variable, such as "OPENAI_API_KEY"'))
  // A wrong value is most often the secret itself, so the message doesn't repeat it.
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    'must be the name of an environment variable, such as "OPENAI_API_KEY", not its value',
  );

/** An address, a subnet, or one of Express's names for common ones. */
export const subnet = z.union([
  z.ipv4(),
  z.ipv6(),
  z.cidrv4(),
  z.cidrv6(),
  z.enum(['loopback', 'linklocal', 'uniquelocal']),
]);

/** Hosts outside the public Internet that the service may call. */
export const privateHosts = z
  .array(
    z
      .string()
      .regex(
        /^(\[[0-9a-fA-F:.]+\]|[^\s/:@]+)(:\d{1,5})?$|^[0-9a-fA-F:]+$/,
        write('a host, such as "wiki.corp" or "10.0.0.5:8080"'),
      ),
    write('a list of hosts, such as ["wiki.corp", "10.0.0.5:8080"]'),
  )
  .default([]);
