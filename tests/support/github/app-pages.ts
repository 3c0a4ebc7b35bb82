/**
 * How a person makes and installs a GitHub App in the browser. GitHub's documentation: "Registering a GitHub App
 * from a manifest" (the post, the redirect with `code` and `state`, the code that works once), "About the setup
 * URL" (`installation_id` and `setup_action`), and the REST pages "Apps" and "Installations". What the documentation
 * doesn't say about the check of a manifest is from the words that GitHub's page shows:
 * derive-to/derive#269 ("Default events are not supported by permissions: issue_comment"), tuist/tuist#10709
 * ("Default events unsupported: installation"), vikasprogrammer/agentric#317 (`hook_attributes` needs `url`), and
 * github-community-projects/private-mirrors#387 (a webhook on this machine). GitHub Enterprise Server has Apps below
 * `/github-apps/`.
 */
import { randomBytes } from 'node:crypto';
import type { App, Permissions } from './access.ts';
import { type Answer, type Asked, created, notFound } from './answers.ts';

interface Manifest {
  name?: string;
  url?: string;
  hook_attributes?: { url?: string; active?: boolean };
  redirect_url?: string;
  setup_url?: string;
  setup_on_update?: boolean;
  public?: boolean;
  default_events?: string[];
  default_permissions?: Permissions;
}

interface Registered {
  app: App;
  manifest: Manifest;
  slug: string;
  owner: string;
  webhookSecret: string | null;
}

/** What an event needs to be allowed. */
const permissionOf: Record<string, keyof Permissions> = {
  issue_comment: 'issues',
  pull_request: 'pull_requests',
  pull_request_review: 'pull_requests',
  pull_request_review_comment: 'pull_requests',
  check_suite: 'checks',
  status: 'statuses',
  // "Webhook events and payloads": at least read-level access to contents.
  push: 'contents',
};

function problemOf(manifest: Manifest, isPublicGitHub: boolean): string | undefined {
  if (manifest.url === undefined) return 'Error "url" wasn\'t supplied.';
  if ((manifest.name ?? '').length > 34) return 'Name is too long (maximum is 34 characters)';
  const { hook_attributes: hook, default_events: events = [] } = manifest;
  if (hook && hook.url === undefined) return 'Error "url" wasn\'t supplied.';
  if (isPublicGitHub && hook && /\/\/(localhost|127\.)/.test(hook.url ?? '')) {
    return "Hook url is not supported because it isn't reachable over the public Internet (localhost)";
  }
  const unknown = events.filter((event) => permissionOf[event] === undefined);
  if (unknown.length > 0) return `Error Default events unsupported: ${unknown.join(', ')}`;
  const without = events.filter(
    (event) => manifest.default_permissions?.[permissionOf[event] ?? 'metadata'] === undefined,
  );
  if (without.length > 0) {
    return `Error Default events are not supported by permissions: ${without.join(', ')}`;
  }
  return undefined;
}

export function createAppPages(deps: {
  url: string;
  addApp: (input: { permissions: Permissions; repositories: string[] }) => App;
  repositories: () => string[];
}) {
  const { url } = deps;
  const registered: Registered[] = [];
  const codes = new Map<string, Registered>();
  const settings = { isPublicGitHub: false };

  function create(manifest: Manifest, name: string, owner: string): Registered {
    const app = deps.addApp({ permissions: manifest.default_permissions ?? {}, repositories: [] });
    app.installation.isInstalled = false;
    const hasHook = manifest.hook_attributes !== undefined;
    const webhookSecret = hasHook ? randomBytes(20).toString('hex') : null;
    const made = {
      app,
      manifest,
      slug: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
      owner,
      webhookSecret,
    };
    registered.push(made);
    return made;
  }

  return {
    registered,
    settings,

    /** `POST /app-manifests/{code}/conversions`, which nobody has to sign in for. */
    convert({ method, path }: Asked): Answer | undefined {
      const [, code = ''] = /^\/app-manifests\/([^/]+)\/conversions$/.exec(path) ?? [];
      if (method !== 'POST' || code === '') return undefined;
      const found = codes.get(code);
      if (!found) throw notFound();
      codes.delete(code);
      const { app, slug, owner, manifest, webhookSecret } = found;
      return created({
        id: app.id,
        slug,
        node_id: 'A_x',
        owner: { login: owner, id: 1 },
        name: slug,
        html_url: `${url}/github-apps/${slug}`,
        external_url: manifest.url,
        client_id: app.clientId,
        client_secret: randomBytes(20).toString('hex'),
        webhook_secret: webhookSecret,
        pem: app.privateKey,
        permissions: manifest.default_permissions,
        events: manifest.default_events ?? [],
      });
    },

    /** A page, or where it leads; `undefined`: no page of Apps. */
    page(
      method: string,
      address: URL,
      body: string,
    ): { html: string } | { to: string } | undefined {
      const form = new URLSearchParams(body);
      const [, owner = 'dana'] =
        /^\/organizations\/([\w-]+)\/settings\/apps\/new$/.exec(address.pathname) ?? [];
      if (method === 'POST' && address.pathname.endsWith('/settings/apps/new')) {
        const text = form.get('manifest') ?? '{}';
        const manifest = JSON.parse(text) as Manifest;
        const problem = problemOf(manifest, settings.isPublicGitHub);
        if (problem !== undefined)
          return { html: `<h1>Invalid GitHub App configuration</h1><p>${problem}</p>` };
        const state = address.searchParams.get('state') ?? '';
        return {
          html: `<h1>Create GitHub App for ${owner}</h1><form method="post" action="/settings/apps">
            <label>GitHub App name <input name="name" value="${manifest.name ?? ''}"></label>
            ${['manifest', 'state', 'owner']
              .map(
                (name) =>
                  `<input type="hidden" name="${name}" value="${{ manifest: text, state, owner }[name]?.replaceAll('"', '&quot;') ?? ''}">`,
              )
              .join('')}
            <button>Create GitHub App</button></form>`,
        };
      }
      if (method === 'POST' && address.pathname === '/settings/apps') {
        const manifest = JSON.parse(form.get('manifest') ?? '{}') as Manifest;
        const code = randomBytes(20).toString('hex');
        codes.set(code, create(manifest, form.get('name') ?? '', form.get('owner') ?? ''));
        const to = new URL(manifest.redirect_url ?? url);
        to.searchParams.set('code', code);
        if (form.get('state')) to.searchParams.set('state', form.get('state') ?? '');
        return { to: to.href };
      }
      const [, slug] = /^\/github-apps\/([\w-]+)\/installations\/new$/.exec(address.pathname) ?? [];
      const found = registered.find((one) => one.slug === slug);
      if (!found) return undefined;
      const { installation } = found.app;
      if (method === 'POST') {
        const action = installation.isInstalled ? 'update' : 'install';
        installation.isInstalled = true;
        installation.repositories.splice(0, Infinity, ...form.getAll('repository'));
        const to = new URL(found.manifest.setup_url ?? url);
        to.searchParams.set('installation_id', String(installation.id));
        to.searchParams.set('setup_action', action);
        return { to: to.href };
      }
      return {
        html: `<h1>Install ${slug}</h1><form method="post">${deps
          .repositories()
          .map(
            (name) =>
              `<label><input type="checkbox" name="repository" value="${name}"> ${name}</label>`,
          )
          .join('')}<button>Install</button></form>`,
      };
    },
  };
}
