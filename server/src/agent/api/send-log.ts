import type { Request, Response } from 'express';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { JobInQueue } from '../jobs/read-jobs.ts';
import { streamLog } from './event-stream.ts';
import { lastEventId } from './read-request.ts';

/** Sends the log of a job from the event after `Last-Event-ID` on. `follower`: whose streams are counted. */
export async function sendLog(
  { jobs, limits }: { jobs: Pick<Jobs, 'events'>; limits: Pick<Limits, 'concurrency'> },
  job: JobInQueue,
  follower: string,
  { request, response, signal }: { request: Request; response: Response; signal: AbortSignal },
): Promise<void> {
  const after = lastEventId(request.get('last-event-id'));
  // Clients reconnect when a stream ends; 204 tells them to stop.
  if (job.status !== 'active' && after >= job.events) {
    response.status(204).end();
    return;
  }
  limits.concurrency.followers(follower, response);
  await streamLog(response, jobs.events.follow(job.id, after, signal));
}
