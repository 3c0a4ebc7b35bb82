import type { DocsProblem } from '@docent/shared/agent-checks';

/** A problem, old or new. */
export interface Finding extends DocsProblem {
  /** The same for a problem on another line or in another commit. */
  key: string;
}

type Facts = Omit<Finding, 'severity' | 'key'> & Partial<Pick<Finding, 'severity' | 'key'>>;

export function finding({ key, ...facts }: Facts): Finding {
  const { check, found, message } = facts;
  return { severity: 'error', ...facts, key: `${check} ${key ?? found ?? message}` };
}

/** Returns the new problems. If a problem existed twice and now exists three times, one is new. */
export function newOnes(after: readonly Finding[], before: readonly Finding[]): Finding[] {
  const known = new Map<string, number>();
  for (const { key } of before) known.set(key, (known.get(key) ?? 0) + 1);
  return after.filter(({ key }) => {
    const left = known.get(key) ?? 0;
    known.set(key, left - 1);
    return left <= 0;
  });
}
