/**
 * A GitHub App of the owner's own, made from a manifest: GitHub's documentation, "Registering a GitHub App from a
 * manifest" and "About the setup URL".
 */
import { z } from 'zod';
import { apiOf } from '../../platform/config/repository-address.ts';
import { JobError } from '../../platform/errors.ts';
import { sha256 } from '../../platform/hash.ts';
import { mintToken, signingAccess } from '../forge/github/access.ts';
import { createTokenAccess } from '../forge/remote/access.ts';
import { fetchWithin } from '../forge/remote/exchange.ts';
import { type Listed, restAt } from './host-directory.ts';

/** What somebody began, until GitHub sends them back. */
export const Begun = z.object({
  /** Of the connection that comes of it. */
  id: z.string(),
  organization: z.string(),
  url: z.string(),
  owner: z.string(),
  /** Where GitHub sends events. */
  hook: z.string().nullable(),
  /** The address of the dashboard for this browser. */
  origin: z.string(),
});
export type Begun = z.output<typeof Begun>;

/** Just what jobs, conversations, and their state need. */
const permissions = {
  contents: 'write',
  pull_requests: 'write',
  metadata: 'read',
  checks: 'read',
  statuses: 'read',
  actions: 'read',
};
/** GitHub refuses a manifest with events whose permission is missing; for comments that's `issues`. */
const events = [
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'check_suite',
  'status',
  'push',
];

export function manifestOf({ id, organization, hook, origin }: Begun) {
  const page = `${origin}/dashboard/projects`;
  return {
    // At most 34 characters, and nobody else's at GitHub. The person can change it there.
    name: `docent-${organization.slice(0, 20)}-${id.slice(-5).toLowerCase()}`,
    url: origin,
    // Left out as a whole without an address: GitHub requires `url` also if it isn't active.
    ...(hook !== null && { hook_attributes: { url: hook, active: true }, default_events: events }),
    redirect_url: page,
    setup_url: page,
    setup_on_update: true,
    // Nobody else can install it.
    public: false,
    default_permissions: { ...permissions, ...(hook !== null && { issues: 'read' }) },
  };
}

const submit = 'document.forms[0].submit()';

/** A page that posts the manifest to GitHub: the dashboard's own pages may only post to the dashboard. */
export function manifestPage(begun: Begun, state: string) {
  const { url, owner } = begun;
  const account = owner === '' ? '' : `/organizations/${owner}`;
  const action = `${url}${account}/settings/apps/new?state=${state}`;
  const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return {
    policy: `default-src 'none'; script-src 'sha256-${sha256(submit, 'base64')}'; form-action ${new URL(url).origin}; base-uri 'none'; frame-ancestors 'none'`,
    html: `<!doctype html><html lang="en"><meta charset="utf-8"><title>To GitHub</title>
<form method="post" action="${escaped(action)}">
<input type="hidden" name="manifest" value="${escaped(JSON.stringify(manifestOf(begun)))}">
<button>Continue to GitHub</button></form><script>${submit}</script></html>`,
  };
}

const Converted = z.object({
  id: z.number(),
  slug: z.string(),
  html_url: z.string(),
  pem: z.string(),
  webhook_secret: z.string().nullish(),
});

/** Trades the code of the redirect, which works once and for an hour, for the App. */
export async function convertManifest(url: string, code: string, signal: AbortSignal) {
  const api = apiOf(new URL(url));
  const failed = (why: string) =>
    new JobError('forge_unavailable', `${url} didn’t hand over the App: ${why}. Begin again.`);
  const response = await fetchWithin(api, 30_000)(`${api}/app-manifests/${code}/conversions`, {
    method: 'POST',
    headers: { accept: 'application/vnd.github+json', 'user-agent': 'docent' },
    signal,
  }).catch((error: unknown) => {
    throw error instanceof TypeError ? failed('the connection failed') : error;
  });
  if (!response.ok) {
    const why =
      response.status === 404 ? 'its code is used or too old' : `it answers ${response.status}`;
    throw failed(why);
  }
  const read = Converted.safeParse(await response.json().catch(() => undefined));
  if (!read.success || !read.data.html_url.startsWith(`${url}/`))
    throw failed('it answers otherwise');
  return read.data;
}

export interface AppIdentity {
  id: string;
  privateKey: string;
  url: string;
}

const perPage = 100;
const maxPages = 3;

const Installation = z.object({ id: z.number(), app_id: z.number() });
const Installations = z.array(z.object({ id: z.number(), suspended_at: z.string().nullish() }));
const Repositories = z.object({
  repositories: z.array(z.object({ full_name: z.string(), archived: z.boolean() })),
});

/** Questions that an App asks about itself, with its own key. */
export function openApp({ id, privateKey, url }: AppIdentity) {
  const holder = 'the connected GitHub App';
  const app = restAt(
    'github',
    url,
    signingAccess(id, holder, () => privateKey),
  );

  return {
    /** Whether an installation is this App's: the address that somebody comes back with proves nothing. */
    async hasInstallation(installation: number, signal: AbortSignal): Promise<boolean> {
      const path = `/app/installations/${installation}`;
      return String((await app.find(Installation, { path, signal }))?.app_id) === id;
    },

    /** The repositories that its owners chose, of all its installations. */
    async list(signal: AbortSignal): Promise<Listed[]> {
      const all: Listed[] = [];
      const query = { per_page: perPage };
      const found = await app.ask(Installations, { path: '/app/installations', query, signal });
      for (const { id: installation, suspended_at: suspended } of found) {
        if (suspended) continue;
        const wanted = { permissions: { metadata: 'read' } };
        const { token } = await mintToken(app, installation, wanted, signal);
        const own = restAt(
          'github',
          url,
          createTokenAccess(holder, () => token, ''),
        );
        const request = { path: '/installation/repositories', query, signal };
        for await (const page of own.pages(Repositories, request, maxPages)) {
          for (const { full_name: path, archived } of page.repositories) {
            if (!archived) all.push({ path, url: `${url}/${path}` });
          }
        }
      }
      return all;
    },
  };
}
