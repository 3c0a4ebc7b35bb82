/** How the host of a project is doing. Hosts allow few questions an hour, so each answer counts for half a minute. */
import type { HostHealthReply } from '@docent/shared/connections';
import { JobError } from '../../platform/errors.ts';
import { createOncePerKey } from '../../platform/lru.ts';
import { mapLimited } from '../../platform/map-limited.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Project, Projects } from '../../platform/tenants/projects.ts';
import { checkProject } from '../forge/check-project.ts';
import type { Forges } from '../forge/create-forges.ts';
import type { Standing } from '../forge/talk.ts';

const everyMs = 30_000;
const maxPulls = 10;
const maxHostMs = 20_000;

const unknown: Standing = { checks: 'unknown', review: 'unknown' };

export type HostHealth = ReturnType<typeof createHostHealth>;

export function createHostHealth({
  database,
  projects,
  forges,
  now,
}: {
  database: Database;
  projects: Pick<Projects, 'connected'>;
  forges: Forges;
  now: () => Date;
}) {
  const kept = createOncePerKey<HostHealthReply>(50);

  async function read(project: Project): Promise<HostHealthReply> {
    const { id, repository, connection = '' } = project;
    const host = projects.connected.connection(connection);
    const events = database.selectFrom('agent_host_events').select(['name', 'created_at']);
    const lastEvent = await events
      .where('project', 'in', [id, connection])
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    const signal = AbortSignal.timeout(maxHostMs);
    const checks: HostHealthReply['checks'] = [];
    if (repository !== undefined) {
      for await (const check of checkProject(project, forges.forProject, signal)) {
        checks.push({ ...check, remedy: check.remedy ?? null });
      }
    }
    const isReached = checks[0]?.passed === true;
    const forge = isReached ? forges.forProject(project) : undefined;
    const pulls = await database
      .selectFrom('agent_jobs')
      .select(['pull_number as number', 'title', 'pull_url as url', 'published_commit as commit'])
      .where('project', '=', id)
      .where('pull_state', '=', 'open')
      .orderBy('id', 'desc')
      .limit(maxPulls)
      .execute();
    return {
      forge: nameOf(project, forges),
      connection: host ? { id: host.id, url: host.url, account: host.account } : null,
      lastEvent: lastEvent ? { name: lastEvent.name, at: lastEvent.created_at } : null,
      checks,
      rateLimit: (await forge?.rateLimit?.(signal).catch(ignored)) ?? null,
      pulls: await mapLimited(pulls, 3, async ({ number, title, url, commit }) => ({
        number: number ?? 0,
        title: title ?? `#${number ?? 0}`,
        url: url ?? '',
        ...((await forge?.talk
          ?.standing({ pull: number ?? 0, commit: commit ?? '' }, signal)
          .catch(ignored)) ?? unknown),
      })),
    };
  }

  return (project: Project): Promise<HostHealthReply> =>
    kept(`${project.id} ${Math.floor(now().getTime() / everyMs)}`, () => read(project));
}

/** A right that's missing, or a host that's slow: it's unknown. */
function ignored(error: unknown): undefined {
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  if (error instanceof JobError || isTimeout) return undefined;
  throw error;
}

function nameOf(project: Project, forges: Pick<Forges, 'localForge'>): HostHealthReply['forge'] {
  if (project.gitea) return 'gitea';
  if (project.gitlab) return 'gitlab';
  if (project.repository === undefined) return 'none';
  return forges.localForge(project) ? 'local' : 'github';
}
