/** Ten whole jobs, at a server that its user names (`forge-try.ts`). */
import { accessOf, jobPlaceOf, openRemote } from '../../server/testing/remote-forge.ts';
import { forgeJobs } from '../support/forges/jobs.ts';
import { namedHost } from './named-host.ts';

forgeJobs(namedHost.kind, async (files) => {
  const setup = await openRemote(namedHost, files);
  const project = { repository: setup.admin.url, ...accessOf(namedHost) };
  return jobPlaceOf(setup, project, namedHost.token);
});
