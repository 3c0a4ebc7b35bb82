/**
 * Writes the events of a job to the audit trail and the webhooks, in the transaction that caused them: neither
 * can miss an event or report one that didn't happen.
 */
import type { AgentLogEntry } from '@docent/shared/agent-events';
import type { WebhookEvent } from '@docent/shared/webhooks';
import { type Actor, type Audit, type NewAuditEntry, system } from '../../platform/audit/audit.ts';
import { digestOf } from '../../platform/audit/bounded.ts';
import type { Database } from '../../platform/store/database.ts';
import { type Deliveries, dueChannel } from '../../platform/webhooks/deliveries.ts';
import type { OnEvents } from '../jobs/events.ts';
import { type Job, toJob } from '../jobs/job.ts';
import { toAgentJob } from './show-job.ts';

export function createEventRecorder(deps: {
  audit: Pick<Audit, 'record'>;
  deliveries: Pick<Deliveries, 'isWanted' | 'enqueue'>;
}): OnEvents {
  const { audit, deliveries } = deps;

  return async function recordEvents(tx, { job: { id }, events, actor, publish }) {
    // Every event with a webhook is audited too.
    if (!events.some(({ type }) => type in auditNames)) return;
    const job = await readJob(tx, id);
    const queued = events.findLast((event) => event.type === 'queued');
    const state = toAgentJob({ ...job, position: queued?.position ?? null });
    for (const event of events) {
      const type = webhookOf(event);
      if (type === undefined || !deliveries.isWanted(job.project, type)) continue;
      const pullRequest = event.type === 'pull-request' && {
        pullRequest: { number: event.number, url: event.url, isDraft: event.isDraft },
      };
      const data = { job: state, ...pullRequest };
      await deliveries.enqueue(tx, { type, project: job.project, time: new Date(event.at), data });
      publish(dueChannel);
    }
    // Last, as the end of the trail is locked until the transaction ends.
    await audit.record(tx, ...events.flatMap((event) => toAuditEntry(event, job, actor) ?? []));
  };
}

async function readJob(tx: Database, id: string): Promise<Job> {
  const row = await tx
    .selectFrom('agent_jobs')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return toJob(row);
}

/** The first instruction creates the job. */
const isFirst = ({ seq }: AgentLogEntry) => seq === 1;

function webhookOf(event: AgentLogEntry): WebhookEvent | undefined {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the others aren't recorded
  switch (event.type) {
    case 'message':
      return isFirst(event) ? 'job.created' : undefined;
    case 'pull-request':
      return 'job.pull_request';
    case 'completed':
      return 'job.completed';
    case 'failed':
      return 'job.failed';
    default:
      return undefined;
  }
}

/** The events that the audit trail records. */
const auditNames = {
  message: 'job.message',
  started: 'job.started',
  'tool-call': 'job.tool_call',
  denied: 'job.denied',
  checks: 'job.checks',
  'pull-request': 'job.pull_request',
  'cancel-requested': 'job.cancel_requested',
  completed: 'job.completed',
  failed: 'job.failed',
  archived: 'job.archived',
} as const satisfies Partial<Record<AgentLogEntry['type'], string>>;

function toAuditEntry(
  event: AgentLogEntry,
  job: Job,
  actor: Actor | undefined,
): NewAuditEntry | undefined {
  const data = toData(event, job);
  if (data === undefined) return undefined;
  const type = isFirst(event) ? 'job.created' : auditNames[event.type as keyof typeof auditNames];
  const { organization, project, id } = job;
  return { organization, project, job: id, actor: actor ?? defaultActor(event, job), type, data };
}

/** The actor of events without one. */
function defaultActor(event: AgentLogEntry, job: Job): Actor {
  return event.type === 'message' && job.origin === 'feedback' ? { kind: 'reader' } : system;
}

/**
 * `undefined`: the event isn't recorded. Readers' words are recorded as a digest: readers may ask to be
 * forgotten, and the trail forgets nothing.
 */
function toData(event: AgentLogEntry, job: Job): Record<string, unknown> | undefined {
  const text = (words: string) => (job.origin === 'api' ? words : digestOf(words));
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the others aren't recorded
  switch (event.type) {
    case 'message': {
      const said = { role: event.role, prompt: text(event.prompt) };
      const { origin, model, repository, branch, paths } = job;
      return isFirst(event) ? { ...said, origin, model, repository, branch, paths } : said;
    }
    case 'started':
      return { attempt: event.attempt, round: event.round };
    case 'tool-call':
      return { call: event.id, name: event.name, input: toInput(event.input, text) };
    case 'denied':
      return { path: event.path, reason: event.reason };
    case 'checks':
      return {
        checks: Object.fromEntries(event.report.checks.map(({ name, status }) => [name, status])),
        problems: event.report.problems.length,
      };
    case 'pull-request':
      return { number: event.number, url: event.url, isDraft: event.isDraft };
    case 'completed':
      return { prLink: event.prLink };
    case 'failed':
      return { code: event.failure.code };
    case 'cancel-requested':
    case 'archived':
      return {};
    default:
      return undefined;
  }
}

/** Names of files are kept whatever the job's origin: they are what a tool was used on. */
const pathFields = new Set(['path', 'from', 'to', 'glob']);

function toInput(input: string, text: (words: string) => unknown): unknown {
  const fields = fromJson(input);
  if (fields === undefined) return text(input);
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      pathFields.has(name) || typeof value === 'boolean' || typeof value === 'number'
        ? value
        : text(typeof value === 'string' ? value : JSON.stringify(value)),
    ]),
  );
}

/** `undefined` if the text isn't JSON, such as a cut one. */
function fromJson(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
