/** What the owner of a service looks after: sites, settings, and the state of the service. Not in the service document. */
import {
  AddSiteRequest,
  ChangeSiteRequest,
  FindingsReply,
  ModelCheckRequest,
  RecognizedSite,
  RecognizeSiteRequest,
  ServiceHealthReply,
  SettingsReply,
  SiteReply,
  SiteSettingsReply,
  SiteSettingsRequest,
  SitesReply,
  TagReply,
} from '@docent/shared/sites';
import type { Services } from '../compose.ts';
import { editorOf } from '../accounts/keys/routes.ts';
import { organizationOf } from '../platform/auth/caller.ts';
import { DocentError } from '../platform/errors.ts';
import {
  adminReads,
  adminWrites,
  editorWrites,
  endpointsOf,
  json,
  viewerReads,
  sent,
  toPage,
} from '../platform/http/endpoint.ts';
import { addSite, changeSite, recognizeSite, removeSite } from './connected-sites.ts';
import { checkEmbedder, checkModel } from './doctor/check-models.ts';
import { checkSite } from './doctor/check-site.ts';
import { describeHealth } from './health.ts';
import { describeSettings } from './settings.ts';
import { describeSite, describeTag, summarizeSite } from './sites.ts';
import { AuditEntry, AuditQuery, AuditResponse } from '@docent/shared/audit';
import { sendTable, tableReply } from '../platform/http/table-file.ts';
import { namesOf } from '../accounts/people/people.ts';
import type { Database } from '../platform/store/database.ts';
import type { AuditEntry as StoredEntry } from '../notify/audit/audit.ts';

const endpoint = endpointsOf<Services>('Operations');

export const ownerEndpoints = [
  endpoint('GET /v1/sites', {
    id: 'listSites',
    summary: 'Sites with their pages and their last run',
    who: viewerReads,
    reply: json(SitesReply, 'The sites, in the order of the configuration.'),
    run: async ({ caller }, services) => ({
      sites: await Promise.all(
        services.sites.ofCaller(caller).map((site) => summarizeSite(site, services)),
      ),
    }),
  }),
  endpoint('GET /v1/sites/{domain}', {
    id: 'describeSite',
    summary: 'One site with its sources',
    who: viewerReads,
    reply: SiteReply,
    run: ({ site }, services) => describeSite(site, services),
  }),
  endpoint('POST /v1/sites/recognize', {
    id: 'recognizeSite',
    summary: 'What the files of a repository say about the site that’s built from it',
    who: adminWrites,
    body: RecognizeSiteRequest,
    reply: json(RecognizedSite, 'As `docent init` would write it.'),
    errors: ['not_found', 'conflict', 'unavailable'],
    run: ({ caller, body, signal }, services) => recognizeSite(caller, body, services, signal),
  }),
  endpoint('POST /v1/sites', {
    id: 'addSite',
    summary: 'Make a repository of a connection a site',
    description: 'It’s indexed in the background, and again every hour.',
    who: adminWrites,
    body: AddSiteRequest,
    reply: json(SiteReply, 'The site. Every process knows it.', { status: 201 }),
    errors: ['not_found', 'conflict', 'unavailable'],
    run: async ({ caller, body, signal }, services) =>
      describeSite(await addSite(caller, body, services, signal), services),
  }),
  endpoint('PATCH /v1/sites/{domain}', {
    id: 'changeSite',
    summary: 'Change a site that was added in the dashboard',
    who: adminWrites,
    body: ChangeSiteRequest,
    reply: SiteReply,
    errors: ['conflict'],
    run: async ({ site, caller, body }, services) =>
      describeSite(await changeSite(caller, site, body, services), services),
  }),
  endpoint('DELETE /v1/sites/{domain}', {
    id: 'removeSite',
    summary: 'Remove a site that was added in the dashboard, with its index and all its data',
    who: adminWrites,
    errors: ['conflict'],
    run: ({ site, caller }, services) => removeSite(caller, site, services),
  }),
  endpoint('POST /v1/sites/{domain}/tag', {
    id: 'getScriptTag',
    summary: 'The script tag’s address and key, which is made if there is none, and where it goes',
    who: editorWrites,
    reply: TagReply,
    run: ({ site, caller, request }, services) =>
      describeTag(site, services, editorOf(caller, request)),
  }),
  endpoint('POST /v1/sites/{domain}/check', {
    id: 'checkSite',
    summary: 'Check a site: its sources, its tag, and its links',
    who: editorWrites,
    reply: FindingsReply,
    run: async ({ site, signal }, services) => ({
      findings: await checkSite(site, services, signal),
    }),
  }),
  endpoint('GET /v1/sites/{domain}/settings', {
    id: 'getSiteSettings',
    summary: 'What may change while the service runs, and where it comes from',
    who: viewerReads,
    reply: SiteSettingsReply,
    run: ({ site }, { siteSettings }) => siteSettings.read(site),
  }),
  endpoint('PATCH /v1/sites/{domain}/settings', {
    id: 'changeSiteSettings',
    summary: 'Change settings of a site while the service runs',
    who: adminWrites,
    body: SiteSettingsRequest,
    reply: SiteSettingsReply,
    errors: ['conflict'],
    run: ({ site, body, caller }, { siteSettings }) => siteSettings.change(site, body, caller.id),
  }),
  endpoint('GET /v1/settings', {
    id: 'getSettings',
    summary: 'The effective configuration, and where each value comes from',
    who: adminReads,
    reply: json(SettingsReply, 'The configuration, without secrets.'),
    run: ({ caller }, services) => describeSettings(services, organizationOf(caller)),
  }),
  endpoint('GET /v1/health', {
    id: 'getServiceHealth',
    summary: 'The state of the service',
    who: adminReads,
    reply: ServiceHealthReply,
    run: ({ caller }, services) => describeHealth(services, organizationOf(caller)),
  }),
  endpoint('POST /v1/health/model', {
    id: 'checkModel',
    summary:
      'Ask a model for a word or two, or the embedder for some vectors, which may cost a little',
    who: adminWrites,
    body: ModelCheckRequest,
    reply: FindingsReply,
    errors: ['not_found'],
    async run({ caller, body }, services) {
      if ('model' in body) return { findings: await checkModel(services, body.model) };
      const sites = services.sites.ofCaller(caller);
      const findings = await checkEmbedder({ ...services, sites });
      if (!findings) throw new DocentError('not_found', 'The configuration has no embedder.');
      return { findings };
    },
  }),
];

/** The audit trail of the caller's organization. Not in the service document. */
export const auditEndpoints = [
  endpoint('GET /v1/audit', {
    id: 'getAudit',
    summary: 'The audit trail of the organization, newest first',
    who: adminReads,
    query: AuditQuery,
    reply: {
      status: 200,
      description: 'Entries, newest first.',
      content: {
        'application/json': AuditResponse,
        'application/jsonl': AuditEntry,
        'text/csv': tableReply,
      },
    },
    async run({ caller, query: asked, response }, { audit, database }) {
      const organization = organizationOf(caller);
      const { format, limit, cursor, ...query } = asked;
      if (format !== 'json') {
        const pages = audit.pages(organization, query);
        const name = `${organization}-audit`;
        await sendTable(response, eachEntry(pages, database), { name, format, columns, toCells });
        return sent;
      }
      const found = await audit.list(organization, { ...query, cursor, limit: limit + 1 });
      const { rows, next } = toPage(found, limit, ({ seq }) => seq);
      return { entries: await named(rows, database), ...next };
    },
  }),
];

async function* eachEntry(pages: AsyncIterable<readonly StoredEntry[]>, database: Database) {
  for await (const page of pages) yield* await named(page, database);
}

async function named(entries: readonly StoredEntry[], database: Database): Promise<AuditEntry[]> {
  const names = await namesOf(
    database,
    entries.flatMap(({ actor, data }) => [actor.id, subjectOf(data)]),
  );
  return entries.map((entry) => ({
    ...entry,
    actor: { ...entry.actor, name: names.get(entry.actor.id ?? '') ?? null },
    subject: names.get(subjectOf(entry.data) ?? '') ?? null,
  }));
}

/** The person that an entry is about. */
function subjectOf(data: unknown): string | undefined {
  const { person } = data as { person?: unknown };
  return typeof person === 'string' ? person : undefined;
}

const columns = [
  'seq',
  'time',
  'type',
  'actorKind',
  'actorId',
  'actorName',
  'subject',
  'project',
  'job',
  'data',
];

const toCells = ({ actor, ...entry }: AuditEntry): Record<string, unknown> => ({
  ...entry,
  actorKind: actor.kind,
  actorId: actor.id,
  actorName: actor.name,
});
