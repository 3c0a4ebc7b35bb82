/** Automations as an owner's program uses them. */
import type { Automation, AutomationRun, AutomationsReply } from '@docent/shared/automations';
import { getJson, postJson } from './call.ts';
import type { Refused } from './agent.ts';
import { waitFor } from './wait-for.ts';

export function automationsOf({ url, admin }: { url: string; admin: string }) {
  const server = { url, key: admin };
  const runsOf = async (id: string) => {
    const { body } = await getJson<{ runs: AutomationRun[] }>(server, `/v1/automations/${id}/runs`);
    return body.runs;
  };
  return {
    create: (body: object) => postJson<Automation & Refused>(server, '/v1/automations', body),
    list: async () => (await getJson<AutomationsReply>(server, '/v1/automations')).body,
    run: (id: string, key?: string) =>
      postJson<AutomationRun & Refused>(server, `/v1/automations/${id}/run`, undefined, {
        ...(key !== undefined && { headers: { 'idempotency-key': key } }),
      }),
    async send(method: 'PATCH' | 'DELETE', id: string, body?: object) {
      const response = await fetch(`${url}/v1/automations/${id}`, {
        method,
        headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    },
    runs: runsOf,
    /** The newest run, once there are so many and all have ended. */
    ended: (id: string, count: number) =>
      waitFor(
        `run ${count} to end`,
        async () => {
          const runs = await runsOf(id);
          return runs.length === count && runs.every(({ status }) => status === 'ended') && runs[0];
        },
        60_000,
      ),
  };
}
