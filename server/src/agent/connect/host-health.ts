/** How the host of a project is doing. Hosts allow few questions an hour, so each answer counts for a minute. */
import type { HostHealthReply } from '@docent/shared/connections';
import { JobError } from '../../platform/errors.ts';
import { createOncePerKey } from '../../platform/lru.ts';
import { mapLimited } from '../../platform/map-limited.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Project, Projects } from '../../platform/tenants/projects.ts';
import { checkProject } from '../forge/check-project.ts';
import type { Forges } from '../forge/create-forges.ts';
import type { Standing } from '../forge/talk.ts';

const everyMs = 60_000;
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
  const kept = createOncePerKey<Pick<HostHealthReply, 'checks' | 'rateLimit' | 'pulls'>>(50);

  const openPulls = (project: string) =>
    database
      .selectFrom('agent_jobs')
      .select(['pull_number as number', 'title', 'pull_url as url', 'published_commit as commit'])
      .where('project', '=', project)
      .where('pull_state', '=', 'open')
      .orderBy('id', 'desc')
      .limit(maxPulls)
      .execute();

  async function askHost(project: Project, pulls: Awaited<ReturnType<typeof openPulls>>) {
    const signal = AbortSignal.timeout(maxHostMs);
    const checks: HostHealthReply['checks'] = [];
    if (project.repository !== undefined) {
      try {
        for await (const check of checkProject(project, (one) => forges.forProject(one), signal)) {
          checks.push({ ...check, remedy: check.remedy ?? null });
        }
      } catch (error) {
        ignored(error);
        checks.push({ passed: false, says: 'the host doesn’t answer in time', remedy: null });
      }
    }
    const forge = checks[0]?.passed === true ? forges.forProject(project) : undefined;
    return {
      checks,
      rateLimit: (await forge?.rateLimit?.(signal).catch(ignored)) ?? null,
      pulls: await mapLimited(pulls, 3, async ({ number, title, url, commit }) => {
        const pull = number ?? 0;
        const asked = forge?.talk?.standing({ pull, commit: commit ?? '' }, signal);
        const standing = (await asked?.catch(ignored)) ?? unknown;
        return { number: pull, title: title ?? `#${pull}`, url: url ?? '', ...standing };
      }),
    };
  }

  return async function describe(project: Project): Promise<HostHealthReply> {
    const { id, connection = '' } = project;
    const host = projects.connected.connection(connection);
    const [lastEvent, pulls] = await Promise.all([
      database
        .selectFrom('agent_host_events')
        .select(['name', 'created_at as at'])
        .where('project', 'in', [id, connection])
        .orderBy('created_at', 'desc')
        .limit(1)
        .executeTakeFirst(),
      openPulls(id),
    ]);
    // What we hear of is news.
    const key = JSON.stringify([id, Math.floor(now().getTime() / everyMs), lastEvent, pulls]);
    return {
      forge: nameOf(project, forges),
      connection: host ? { id: host.id, url: host.url, account: host.account } : null,
      lastEvent: lastEvent ?? null,
      ...(await kept(key, () => askHost(project, pulls))),
    };
  };
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
