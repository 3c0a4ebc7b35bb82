/** What the service shows GitHub: a token of its owner's, or one that it mints as an App, for one repository and an hour at most. */
import { z } from 'zod';
import { JobError } from '../../../platform/errors.ts';
import { recognizeSecrets } from '../../../platform/redaction/own-secrets.ts';
import type { Project } from '../../../platform/tenants/projects.ts';
import { createTokenAccess, createVariableAccess, type RemoteAccess } from '../remote/access.ts';
import { upper } from '../remote/failures.ts';
import type { HostKind } from '../remote/remote-forge.ts';
import type { Rest } from '../remote/rest.ts';

/** A token is renewed before it ends: a long job never holds one that dies under its hands. */
const marginMs = 5 * 60_000;

/** Just what publishing needs, whatever else the App may do. */
const publishing = { contents: 'write', pull_requests: 'write' } as const;
/** To read why checks failed, and what they printed. */
const reading = { checks: 'read', statuses: 'read', actions: 'read' } as const;

const Installation = z.object({ id: z.number() });
const Minted = z.object({ token: z.string(), expires_at: z.string() });

/** A token for a part of what an installation of the App may do. */
export const mintToken = (
  asApp: Rest,
  installation: number,
  wanted: object,
  signal?: AbortSignal,
) =>
  asApp.ask(Minted, {
    method: 'POST',
    path: `/app/installations/${installation}/access_tokens`,
    body: wanted,
    signal,
  });

/** An App speaks for itself with what it signs. */
export function signingAccess(appId: string, holder: string, key: () => string): RemoteAccess {
  return {
    holder,
    async token() {
      const privateKey = key();
      const { createAppAuth } = await import('./octokit.ts');
      const signed = createAppAuth({ appId, privateKey })({ type: 'app' });
      return (
        await signed.catch(() => {
          throw new JobError(
            'forge_not_configured',
            `The private key of ${holder} can’t be used; set it to the complete text of the App’s .pem file.`,
          );
        })
      ).token;
    },
  };
}

/** The token of a project's variable, or those that its App mints. */
export const openAccess: HostKind['access'] = (deps, address) => {
  const { id, github = {} } = deps.project;
  const { tokenEnv, app } = github;
  if (app) return createAppAccess(deps, address, app);
  if (tokenEnv !== undefined) return createVariableAccess(tokenEnv, deps.secret);
  const mistake = `The project “${id}” has no “github” with a “tokenEnv” or an “app”; without one the repository can be neither read nor changed.`;
  return createTokenAccess('nobody', () => undefined, mistake);
};

function createAppAccess(
  { project, secret, now }: Parameters<HostKind['access']>[0],
  { owner, name: repository, connect }: Parameters<HostKind['access']>[1],
  app: NonNullable<NonNullable<Project['github']>['app']>,
): RemoteAccess {
  const readsChecks =
    project.conversation?.repairChecks === true || project.connection !== undefined;
  const permissions = { ...publishing, ...(readsChecks && reading) };
  const holder = `the GitHub App ${app.id}`;
  const asApp = connect(signingAccess(app.id, holder, readKey));
  let installation: number | undefined = app.installationId;
  let minted: Promise<{ token: string; endsAt: number }> | undefined;

  async function mint(): Promise<{ token: string; endsAt: number }> {
    const id = (installation ??= await findInstallation());
    const found = await mintToken(asApp, id, { repositories: [repository], permissions });
    const endsAt = Date.parse(found.expires_at);
    const forget = recognizeSecrets([found.token]);
    setTimeout(forget, Math.max(0, endsAt - now().getTime())).unref();
    return { token: found.token, endsAt };
  }

  async function findInstallation(): Promise<number> {
    const path = `/repos/${owner}/${repository}/installation`;
    const found = await asApp.find(Installation, { path });
    if (found) return found.id;
    throw new JobError(
      'forge_not_configured',
      `${upper(holder)} is not installed on ${owner}/${repository}; install it there.`,
    );
  }

  function readKey(): string {
    const privateKey = secret(app.privateKeyEnv);
    // In a variable of one line its ends of lines are often written as \n.
    const key = privateKey?.replaceAll('\\n', '\n').trim();
    if (key?.startsWith('-----BEGIN') && key.endsWith('-----')) return key;
    throw new JobError(
      'forge_not_configured',
      key === undefined || key === ''
        ? `The environment variable ${app.privateKeyEnv} is empty; set it to the App’s private key.`
        : `The environment variable ${app.privateKeyEnv} doesn’t contain a private key; set it to the complete text of the App’s .pem file.`,
    );
  }

  return {
    holder,
    async token() {
      const before = minted;
      const kept = await before?.catch(() => undefined);
      if (kept && kept.endsAt - now().getTime() > marginMs) return kept.token;
      // Several calls at once wait for one new token.
      if (minted && minted !== before) return (await minted).token;
      const next = (minted = mint());
      next.catch(() => {
        if (minted === next) minted = before;
      });
      return (await next).token;
    },
  };
}
