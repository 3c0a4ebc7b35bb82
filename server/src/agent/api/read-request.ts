/** What a caller writes beside the instruction, checked; each refusal says what to write. */
import { branchNameMistake } from '../../platform/config/branch-names.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Project } from '../../platform/tenants/projects.ts';

/** The names that version 1 has for models; version 2 takes them too. */
const aliases = ['sonnet', 'opus'] as const;

/**
 * The model of a job; none where neither the request nor the project names one. A name of the configuration is taken as it is. Spec: version 1 has `sonnet` and
 * `opus`; they are what `agent.models` says. Where it says nothing, the project's own model works: a
 * program written for the public API goes on to work.
 */
export function chooseModel(
  name: string | undefined,
  project: Project,
  { models, agent }: Pick<Config, 'models' | 'agent'>,
): string | undefined {
  const own = project.model;
  if (name === undefined) return own;
  if (Object.hasOwn(models, name)) return name;
  const alias = aliases.find((each) => each === name);
  if (alias) return agent.models[alias] ?? own;
  const known = [...Object.keys(models), ...aliases];
  const message = `must be one of ${known.map((each) => `"${each}"`).join(', ')}`;
  throw refused('model', message);
}

export function checkBranch(name: string | undefined): string | undefined {
  const mistake = name === undefined ? undefined : branchNameMistake(name);
  if (mistake !== undefined) throw refused('branch', mistake);
  return name;
}

/** The number of the last event that a reader has; 0: none. */
export function lastEventId(header: string | undefined): number {
  if (header === undefined || header === '') return 0;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  throw new DocentError(
    'bad_request',
    'The header `Last-Event-ID` must be the `id` of an event of this job, a whole number.',
  );
}

function refused(path: string, message: string): DocentError {
  return new DocentError('bad_request', `The request is not valid: \`${path}\` ${message}.`, {
    details: [{ path, message }],
  });
}
