import type { Caller } from '../keys/key-store.ts';
import type { PageLinks } from '../projects/page-links.ts';
import type { JobInQueue } from './jobs/jobs.ts';

/**
 * A job as this caller may open it in a browser. Addresses of our own pages let whoever has them steer and
 * merge: a key that may write gets them with their permission, one that may only read gets the plain ones.
 */
export async function openLinks(
  job: JobInQueue,
  { scopes }: Pick<Caller, 'scopes'>,
  links: PageLinks,
): Promise<{ job: JobInQueue; pageUrl: string }> {
  const page = { kind: 'job', project: job.project, job: job.id } as const;
  const maySteer = !scopes || scopes.includes('write');
  if (!maySteer) return { job, pageUrl: links.plain(page) };
  // Only repositories on this machine have pull requests with a page of ours.
  const hasOwnPage = job.pull !== null && job.repository.startsWith('file:');
  const number = job.pull?.number ?? 0;
  const pull = hasOwnPage
    ? { number, url: await links.link({ kind: 'pull', project: job.project, number }) }
    : job.pull;
  return { job: { ...job, pull }, pageUrl: await links.link(page) };
}
