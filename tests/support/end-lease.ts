import type { TestPostgres } from '@docent/server/testing';

/** Ends the lease of a server process, as if its time had passed: the others then count the process as dead. */
export const endLease = (postgres: TestPostgres, url: string, pid: number | undefined) =>
  postgres.query(
    url,
    `update processes set lease_until = '2000-01-01T00:00:00.000Z' where name like '% ${pid}'`,
  );
