/** Checks a site: its index and sources, and the published pages. */
import { existsSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { parse } from '../../docs/parsing/parse.ts';
import { checkAddresses } from '../../docs/indexer/check-addresses.ts';
import { walkFolder } from '../../docs/sources/folder-source.ts';
import { createWebClient } from '../../docs/web/web-client.ts';
import type { BaseServices } from '../../open-services.ts';
import { type SourceConfig, sourcesOf } from '../../platform/config/docs-config.ts';
import { publicUrlOf } from '../../platform/config/schema.ts';
import { openRepository } from '../../platform/git/repository.ts';
import { isAllowedOrigin } from '../../platform/http/site-cors.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import { repositoriesFolder } from '../../platform/store/data-folder.ts';
import { plural } from '../../cli/command.ts';
import { type Finding, fine, messageOf, note, problem } from './finding.ts';

/** So many pages of a site are looked at. The command line looks at all. */
const maxPages = 200;

export async function checkSite(
  site: Site,
  services: BaseServices,
  signal?: AbortSignal,
): Promise<Finding[]> {
  const { domain } = site;
  const findings = [await checkIndex(site, services), await checkKey(site, services)];
  const miss = (text: string, fix: string) => findings.push(problem(text, fix));
  for (const source of sourcesOf(site.docs)) {
    signal?.throwIfAborted();
    // oxlint-disable-next-line no-await-in-loop -- in the order of the configuration
    findings.push(await checkSource(source, site, services));
  }
  const { baseUrl } = site.docs;
  if (baseUrl === undefined) {
    const why = `${domain} has no docs.baseUrl, so the published site wasn't checked.`;
    return [...findings, note(why)];
  }
  const { origin, host } = new URL(baseUrl);
  if (!isAllowedOrigin(origin, site.allowedOrigins)) {
    miss(
      `Pages of ${origin} can't use the assistant, because ${domain} doesn't allow their origin.`,
      `Add "${origin}" to allowedOrigins.`,
    );
  }
  // The owner asks for this check, so the site may be on a private host.
  const docs = { ...site.docs, allowPrivateHosts: [...site.docs.allowPrivateHosts, host] };
  const response = await fetchPage(baseUrl, docs.allowPrivateHosts, signal).catch(messageOf);
  signal?.throwIfAborted();
  if (typeof response === 'string') {
    const fix = 'Correct docs.baseUrl, or publish the site.';
    return [...findings, problem(`${domain}: ${response}`, fix)];
  }
  return [
    ...findings,
    ...(await checkPage(site, baseUrl, response, services).catch((error: unknown) => {
      if (!isTooMuch(error)) throw error;
      return [problem(`${baseUrl} can't be checked: ${error.message}.`, 'Look at its HTML.')];
    })),
    ...(await checkLinks(site, docs, services, signal)),
  ];
}

async function checkIndex({ domain }: Site, { retriever }: BaseServices): Promise<Finding> {
  const pages = (await retriever.hashes(domain)).size;
  return pages > 0
    ? fine(`${domain}: ${plural(pages, 'page')} in the index.`)
    : problem(`${domain} has no pages in the index.`, `Run: docent index ${domain}`);
}

async function checkKey({ domain, organization }: Site, { keys }: BaseServices): Promise<Finding> {
  const isFor = (key: Awaited<ReturnType<typeof keys.list>>[number]) =>
    key.kind === 'assistant' &&
    key.revokedAt === undefined &&
    key.organization === organization &&
    (key.domain === domain || key.domain === undefined);
  return (await keys.list()).some(isFor)
    ? fine(`${domain}: there is a key for its pages.`)
    : problem(
        `${domain} has no key for its pages.`,
        `Run: docent keys create --assistant --site ${domain}`,
      );
}

async function checkSource(
  source: SourceConfig,
  { domain, docs }: Site,
  { config, environment }: BaseServices,
): Promise<Finding> {
  const [name, read] = reading(source);
  try {
    await read();
    return fine(`${domain}: ${name} can be read.`);
  } catch (error) {
    return problem(
      `${domain}: ${messageOf(error)}`,
      `Correct the source ${name} in the configuration, or make it readable.`,
    );
  }

  function reading(each: SourceConfig): [name: string, read: () => Promise<unknown>] {
    switch (each.type) {
      case 'folder':
        return [each.folder, () => walkFolder({ ...each, onWarning: () => {} })];
      case 'html':
        return [
          each.folder,
          () => walkFolder({ ...each, ending: /\.html?$/i, onWarning: () => {} }),
        ];
      case 'git': {
        const { dataFolder } = config.server;
        const folder = repositoriesFolder(dataFolder);
        const token = each.tokenEnv === undefined ? undefined : environment.secret(each.tokenEnv);
        const options = { ...each, folder, token, privateHosts: docs.allowPrivateHosts };
        return [each.url, async () => (await openRepository(options)).commit()];
      }
      case 'openapi':
        return [each.document, () => readAddress(each.document)];
      case 'sitemap':
      case 'crawl':
      case 'llms':
        return [each.url, () => readAddress(each.url)];
    }
  }

  async function readAddress(address: string): Promise<void> {
    if (!/^https?:/.test(address)) {
      if (!existsSync(address)) throw new Error(`The file ${address} doesn't exist.`);
      return;
    }
    await fetchPage(address, docs.allowPrivateHosts);
  }
}

async function fetchPage(address: string, privateHosts: readonly string[], signal?: AbortSignal) {
  const client = createWebClient({ privateHosts, limits: { timeoutMs: 15_000 } });
  try {
    client.addStart(new URL(address));
    const response = await client.get(new URL(address), { signal });
    if (response.status === 200) return response;
    throw new Error(`${address} answered ${response.status}.`);
  } finally {
    client.close();
  }
}

/** The first page: whether it has the tag of this site, with a valid key, and may load it. */
async function checkPage(
  { domain, organization }: Site,
  baseUrl: string,
  response: Awaited<ReturnType<typeof fetchPage>>,
  { config, keys }: BaseServices,
): Promise<Finding[]> {
  const html = response.body.toString('utf8');
  const tags = (await parse('htmlTags', { html, tag: 'script' })).filter(({ src = '' }) =>
    /\/docent(-\w+)?\.m?js$/.test(src),
  );
  const tag = tags.find((each) => each['data-site'] === domain);
  if (!tag) {
    const other = tags[0]?.['data-site'];
    return [
      problem(
        other === undefined
          ? `${baseUrl} has no script tag of Docent.`
          : `The script tag of ${baseUrl} has data-site="${other}".`,
        other === undefined
          ? 'Place it with docent init, and publish the site. If a script of yours adds it, ignore this.'
          : `Write data-site="${domain}".`,
      ),
    ];
  }
  const page = response.url.href;
  const script = new URL(tag['src'] ?? '', page).href;
  const { origin, protocol } = new URL(script);
  const findings: Finding[] = [];
  const miss = (text: string, fix: string) => findings.push(problem(text, fix));
  const service = publicUrlOf(config.server);
  if (!script.startsWith(`${service}/`)) {
    miss(
      `The script tag of ${baseUrl} loads ${script}, and this service is ${service}.`,
      `Correct the src of the tag, or set server.publicUrl.`,
    );
  } else if (protocol === 'http:' && page.startsWith('https:')) {
    miss(
      `Browsers block ${script} on a page with https.`,
      'Put a proxy with TLS in front, and set server.publicUrl to its address.',
    );
  }
  const caller = await keys.find(tag['data-key'] ?? '');
  const isTheirs = caller?.organization === organization && (caller.domain ?? domain) === domain;
  if (!isTheirs) {
    miss(
      `The key in the script tag of ${baseUrl} isn't valid for ${domain}.`,
      `Write a key from: docent keys create --assistant --site ${domain}`,
    );
  }
  const blocking = blockingDirectives(await policiesOf(response.headers, html), {
    page,
    script,
    hasNonce: tag['nonce'] !== undefined,
  });
  for (const directive of new Set(blocking)) {
    miss(
      `The Content Security Policy of ${baseUrl} blocks the assistant (${directive}).`,
      `Add ${origin} to ${directive}.`,
    );
  }
  return findings.length > 0 ? findings : [fine(`${baseUrl} has the script tag.`)];
}

async function policiesOf(headers: IncomingHttpHeaders, html: string): Promise<string[]> {
  const header = headers['content-security-policy'];
  const metas = await parse('htmlTags', { html, tag: 'meta' });
  const inPage = metas
    .filter((each) => each['http-equiv']?.toLowerCase() === 'content-security-policy')
    .map(({ content = '' }) => content);
  return header === undefined ? inPage : [String(header), ...inPage];
}

async function checkLinks(
  site: Site,
  docs: Site['docs'],
  { retriever }: BaseServices,
  signal: AbortSignal | undefined,
): Promise<Finding[]> {
  const asked = { site: { ...site, docs }, retriever, maxPages, signal };
  const report = await checkAddresses(asked).catch(messageOf);
  signal?.throwIfAborted();
  if (typeof report === 'string')
    return [problem(`${site.domain}: ${report}`, 'Correct docs.baseUrl, or publish the site.')];
  const { pages, allPages, missingPages, anchors, missingAnchors } = report;
  const cut =
    pages < allPages
      ? ` These are the first ${pages} of ${allPages} pages; docent check looks at all.`
      : '';
  const missing = missingPages.length + missingAnchors.length;
  return [
    missing === 0
      ? fine(
          `${site.domain}: ${plural(pages, 'page')} and ${plural(anchors, 'anchor')} are on the site.${cut}`,
        )
      : problem(
          `${site.domain}: ${plural(missingPages.length, 'page')} and ${plural(missingAnchors.length, 'anchor')} that answers may cite aren't on the site, such as ${[...missingPages, ...missingAnchors][0]}.${cut}`,
          `To see all, run: docent check ${site.domain} --verbose`,
        ),
  ];
}

/** Reads a Content Security Policy: whether it lets a page load the widget and ask. */

interface PolicyQuestion {
  page: string;
  script: string;
  hasNonce: boolean;
}

/** The directives that block the widget, in all policies of a page. */
export function blockingDirectives(
  policies: readonly string[],
  question: PolicyQuestion,
): string[] {
  return policies
    .flatMap((header) => header.split(','))
    .flatMap((policy) => {
      const directives = new Map(
        policy
          .split(';')
          .map((each) => each.trim().split(/\s+/))
          .map(([name = '', ...values]) => [name.toLowerCase(), values] as const),
      );
      const first = (...names: string[]) => names.find((name) => directives.has(name));
      const scripts = first('script-src-elem', 'script-src', 'default-src');
      const connections = first('connect-src', 'default-src');
      const allows = (name: string | undefined, isScript: boolean) =>
        name === undefined ||
        (directives.get(name) ?? []).some((value) => allowsAddress(value, question, isScript));
      return [
        ...(allows(scripts, true) ? [] : [scripts ?? '']),
        ...(allows(connections, false) ? [] : [connections ?? '']),
      ];
    });
}

function allowsAddress(
  value: string,
  { page, script, hasNonce }: PolicyQuestion,
  isScript: boolean,
) {
  const { origin, protocol, host } = new URL(script);
  if (value === "'self'") return origin === new URL(page).origin;
  if (value.startsWith("'nonce-")) return isScript && hasNonce;
  if (value.startsWith("'")) return false;
  if (value === '*' || value === protocol) return true;
  const [, scheme, rest = ''] = /^(?:([a-z][a-z\d+.-]*:)\/\/)?([^/]*)/i.exec(value) ?? [];
  const isHost = rest.startsWith('*.') ? host.endsWith(rest.slice(1)) : rest === host;
  return isHost && (scheme === undefined || scheme === protocol);
}
