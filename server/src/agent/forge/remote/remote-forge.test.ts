import { openWire } from '../../../../testing/wire-forge.ts';
import { forgeContract, pullRequestContract } from '../../../../testing/forge.contract.ts';

forgeContract('Gitea and Forgejo', (files) => openWire('gitea', files));
forgeContract('GitLab', (files) => openWire('gitlab', files));
pullRequestContract('Gitea below a path', (files) => openWire('gitea', files, { below: '/git' }));
pullRequestContract('GitLab below a path', (files) =>
  openWire('gitlab', files, { below: '/gitlab' }),
);
