import { test } from 'vitest';
import type { Promised } from './requirements.ts';

/**
 * A test that proves promises of the service document. `coverage.test.ts` reads these calls and fails
 * where a promise has none.
 */
export function verifies(
  promised: Promised | Promised[],
  name: string,
  body: () => Promise<void> | void,
): void {
  const ids = Array.isArray(promised) ? promised : [promised];
  test(name, { meta: { verifies: ids } } as object, body);
}
