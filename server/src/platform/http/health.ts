import { HealthReply, ReadyReply } from '@docent/shared/replies';
import { sql } from 'kysely';
import { DocentError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { endpointsOf } from './endpoint.ts';

interface HealthDeps {
  database: Database;
  retriever: { check(): Promise<'ready' | 'fallback'> };
  state: { isStopping: boolean };
}

const endpoint = endpointsOf<HealthDeps>('Operations');

export const healthEndpoints = [
  endpoint('GET /healthz', {
    id: 'getHealth',
    summary: 'Whether the process is alive',
    who: 'public',
    limit: 'none',
    reply: HealthReply,
    run: () => ({ status: 'ok' as const }),
  }),

  endpoint('GET /readyz', {
    id: 'getReadiness',
    summary: 'Whether the service can answer',
    who: 'public',
    limit: 'none',
    reply: ReadyReply,
    errors: ['unavailable'],
    async run(_call, { database, retriever, state }) {
      if (state.isStopping) throw new DocentError('unavailable', 'The service is stopping.');
      try {
        await sql`select 1`.execute(database);
      } catch (cause) {
        throw new DocentError('unavailable', 'The database cannot be read.', { cause });
      }
      // Rejects if no question can be answered. With `fallback`, only the local index answers.
      const search = await retriever.check();
      return { status: 'ready' as const, ...(search === 'fallback' && { search }) };
    },
  }),
];
