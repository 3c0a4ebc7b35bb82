/**
 * Writes the events of a job to the audit trail and the webhooks, in the transaction that caused them: neither
 * can miss an event or report one that didn't happen.
 */
import type { AgentLogEntry } from '@docent/shared/agent-events';
import type { WebhookEvent } from '@docent/shared/webhooks';
import { type Audit, type NewAuditEntry, system, fingerprintOf } from '../../notify/audit/audit.ts';
import { type Deliveries, dueChannel } from '../../notify/webhooks/deliveries.ts';
import type { OnEvents } from '../jobs/events.ts';
import type { Job } from '../jobs/job.ts';
import { findJob } from '../jobs/read-jobs.ts';
import { toAgentJob } from './job-view.ts';
import type { Actor } from '../../platform/auth/caller.ts';

export function createEventRecorder(deps: {
  audit: Pick<Audit, 'record'>;
  deliveries: Pick<Deliveries, 'isWanted' | 'enqueue'>;
}): OnEvents {
  const { audit, deliveries } = deps;

  return async function recordEvents(tx, { job: { id }, events, actor, publish }) {
    // Every event with a webhook is audited too.
    if (!events.some(({ type }) => type in audited)) return;
    const job = await findJob(tx, id);
    if (!job) return;
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

/** The first instruction creates the job. */
const isFirst = ({ seq }: AgentLogEntry) => seq === 1;

type Type = AgentLogEntry['type'];
type Data = Record<string, unknown>;

/** Words of readers are recorded as a digest: readers may ask to be forgotten, and the trail forgets nothing. */
type Tell = (words: string) => unknown;

/** What the audit trail keeps of each event. The others aren't recorded. */
const audited: {
  [Each in Type]?: (event: Extract<AgentLogEntry, { type: Each }>, job: Job, tell: Tell) => Data;
} = {
  message(event, { origin, model, repository, branch, paths }, tell) {
    const said = { role: event.role, prompt: tell(event.prompt) };
    return isFirst(event) ? { ...said, origin, model, repository, branch, paths } : said;
  },
  started: ({ attempt, round }) => ({ attempt, round }),
  'tool-call': ({ id, name, input }, _job, tell) => ({
    call: id,
    name,
    input: toInput(input, tell),
  }),
  denied: ({ path, reason }) => ({ path, reason }),
  checks: ({ report: { checks, problems } }) => ({
    checks: Object.fromEntries(checks.map(({ name, status }) => [name, status])),
    problems: problems.length,
  }),
  'pull-request': ({ number, url, isDraft }) => ({ number, url, isDraft }),
  'cancel-requested': () => ({}),
  completed: ({ prLink }) => ({ prLink }),
  failed: ({ failure }) => ({ code: failure.code }),
  archived: () => ({}),
};

const webhooks: Partial<Record<Type, WebhookEvent>> = {
  'pull-request': 'job.pull_request',
  completed: 'job.completed',
  failed: 'job.failed',
};

function webhookOf(event: AgentLogEntry): WebhookEvent | undefined {
  return isFirst(event) ? 'job.created' : webhooks[event.type];
}

function toAuditEntry(
  event: AgentLogEntry,
  job: Job,
  actor: Actor | undefined,
): NewAuditEntry | undefined {
  const toData = audited[event.type] as
    | ((event: AgentLogEntry, job: Job, tell: Tell) => Data)
    | undefined;
  if (!toData) return undefined;
  const data = toData(event, job, job.origin === 'api' ? (words) => words : fingerprintOf);
  const type = isFirst(event) ? 'job.created' : `job.${event.type.replace('-', '_')}`;
  const { organization, project, id } = job;
  return { organization, project, job: id, actor: actor ?? defaultActor(event, job), type, data };
}

function defaultActor(event: AgentLogEntry, job: Job): Actor {
  return event.type === 'message' && job.origin === 'feedback' ? { kind: 'reader' } : system;
}

/** Names of files are kept whatever the job's origin: they are what a tool was used on. */
const pathFields = new Set(['path', 'from', 'to', 'glob']);

function toInput(input: string, text: Tell): unknown {
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
