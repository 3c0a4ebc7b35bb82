/** Ten whole jobs at each forge, at the wire. */
import { openGitHub, token } from '../../server/testing/github-forge.ts';
import { jobPlaceOf } from '../../server/testing/remote-forge.ts';
import { forgeToken, openWire } from '../../server/testing/wire-forge.ts';
import { forgeJobs } from '../support/forges/jobs.ts';

forgeJobs('GitHub', async (files) => {
  const setup = await openGitHub(files);
  const { repository } = setup.deps;
  return jobPlaceOf(setup, { repository, github: { tokenEnv: 'DOCS_TOKEN' } }, token);
});

for (const kind of ['gitea', 'gitlab'] as const) {
  forgeJobs(kind, async (files) => {
    const setup = await openWire(kind, files, { below: '/forge' });
    const { id: _, ...access } = setup.deps.project;
    const project = { repository: setup.admin.url, ...access };
    return jobPlaceOf(setup, project, forgeToken);
  });
}
