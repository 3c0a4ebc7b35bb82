/** Checks the fields of a request besides the instruction. */
import { branchNameMistake } from '../../platform/config/branch-names.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError, invalid } from '../../platform/errors.ts';
import { redactSecrets } from '../../platform/redaction/redact.ts';

/** The model names of version 1. Version 2 accepts them too. */
const aliases = ['sonnet', 'opus'] as const;

/**
 * The model that a request names, also by the ID that jobs show; `undefined`: the project's. Spec: version 1 has `sonnet` and `opus`. They
 * stand for the models in `agent.models`, or for the project's model if that setting is missing, so that
 * programs for the public API keep working.
 */
export function chooseModel(
  name: string | undefined,
  { models, agent }: Pick<Config, 'models' | 'agent'>,
): string | undefined {
  if (name === undefined) return undefined;
  if (Object.hasOwn(models, name)) return name;
  const byId = Object.entries(models).find(([, { model }]) => model === name);
  if (byId) return byId[0];
  const alias = aliases.find((each) => each === name);
  if (alias) return agent.models[alias];
  const known = [...Object.keys(models), ...aliases];
  const message = `must be one of ${known.map((each) => `"${each}"`).join(', ')}`;
  throw invalid('model', message);
}

export function checkBranch(name: string | undefined): string | undefined {
  const mistake = name === undefined ? undefined : branchNameMistake(name);
  if (mistake !== undefined) throw invalid('branch', mistake);
  // Anybody who sees the repository reads the names of its branches.
  if (name !== undefined && redactSecrets(name) !== name) {
    throw invalid('branch', 'holds what looks like a secret; choose another name');
  }
  return name;
}

/** The number of the last event that a client has; 0: none. */
export function lastEventId(header: string | undefined): number {
  if (header === undefined || header === '') return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  throw new DocentError(
    'bad_request',
    'The header `Last-Event-ID` must be the `id` of an event of this job, a whole number.',
  );
}
