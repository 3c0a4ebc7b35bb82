import pg from 'pg';
import { DocentError } from '../errors.ts';

/**
 * SQLSTATE codes of what another try may find mended: connection lost (08), no resources (53), the
 * server is stopping or starting or the statement took too long (57), a standby (25006), and two
 * transactions that were in each other's way (40, 55P03).
 */
const passing = /^(08|53|57|40)...$|^(25006|55P03)$/;

/** What pg throws, as what a caller may know of it. Errors of ours (a constraint, a wrong query) stay as they are. */
export function toStoreError(error: unknown): unknown {
  // What is not the database's own word is the connection's: refused, cut, timed out.
  const isPassing = error instanceof pg.DatabaseError ? passing.test(error.code ?? '') : true;
  if (!isPassing || error instanceof DocentError) return error;
  return new DocentError(
    'unavailable',
    'The database cannot be reached at the moment. Please try again shortly.',
    { cause: error, retryAfter: 2 },
  );
}

/** A prepared `select *` whose table has got another column since. */
export function isStaleStatement(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError &&
    error.code === '0A000' &&
    error.routine === 'RevalidateCachedQuery'
  );
}
