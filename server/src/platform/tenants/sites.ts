import { restartNeeded } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { SiteConfig } from '../config/site-config.ts';
import { DocentError } from '../errors.ts';
import { type Caller } from '../auth/caller.ts';
import type { Connected } from './connected.ts';

export type Site = SiteConfig & {
  /** Of a site that isn't in the configuration: what it reaches its repository by. */
  connection?: string | undefined;
};

/** Hosts serve `/Acme/docs` and `/acme/docs.git` alike. */
const withoutEnding = (repository: string) => repository.replace(/\.git$/, '').toLowerCase();

export type Sites = ReturnType<typeof createSites>;

interface SitesDeps {
  config: Pick<Config, 'sites'>;
  connected: Pick<Connected, 'sites' | 'reload'>;
  /** Whether the file of the configuration has changed since. */
  isOld?: () => boolean;
}

/** The sites of the configuration, then those of the dashboard, by their domain. The configuration wins. */
export function createSites({ config, connected, isOld = () => false }: SitesDeps) {
  const ofFile = new Map(config.sites.map((site): [string, Site] => [site.domain, site]));

  const all = (): Site[] => [
    ...config.sites,
    ...connected.sites().filter(({ domain }) => !ofFile.has(domain)),
  ];
  const find = (domain: string): Site | undefined =>
    ofFile.get(domain) ?? connected.sites().find((site) => site.domain === domain);

  const isTheirs = (site: Site, caller: Caller) =>
    site.organization === caller.organization &&
    (caller.domain === undefined || caller.domain === site.domain);

  return {
    all,
    find,

    /** The site that an admin names. The error lists all sites. */
    named(domain: string): Site {
      const site = find(domain);
      if (site) return site;
      const known = all()
        .map((one) => one.domain)
        .join(', ');
      throw new DocentError('bad_request', `There is no site "${domain}"; there are: ${known}.`);
    },

    /** Hears of a site that another process added just now. */
    async refresh(domain: string): Promise<void> {
      if (!find(domain)) await connected.reload();
    },

    /**
     * The site of a request, if the caller may use it. A site of another organization, one that the key isn't
     * for, and one that doesn't exist get the same error.
     */
    forCaller(domain: string, caller: Caller): Site {
      const site = find(domain);
      if (!site || !isTheirs(site, caller)) {
        const why = isOld() ? ` ${restartNeeded} Restart it.` : '';
        throw new DocentError('not_found', `There is no site with this domain for your key.${why}`);
      }
      return site;
    },

    /** The domains whose pages come from this branch of a repository. Without a `ref`, that's its default branch. */
    builtFrom: (
      repository: string,
      branch: string,
      { isDefault = true, organization }: { isDefault?: boolean; organization?: string } = {},
    ): string[] =>
      all()
        .filter((site) => organization === undefined || site.organization === organization)
        .filter(({ docs }) =>
          docs.sources.some(
            (source) =>
              source.type === 'git' &&
              withoutEnding(source.url) === withoutEnding(repository) &&
              (source.ref === undefined ? isDefault : source.ref === branch),
          ),
        )
        .map(({ domain }) => domain),

    /** The sites that the caller may use. */
    ofCaller: (caller: Caller): Site[] => all().filter((site) => isTheirs(site, caller)),
  };
}

/** The organizations of the configuration, in its order. */
export const organizationsOf = (config: Pick<Config, 'sites' | 'projects'>): string[] => [
  ...new Set([...config.sites, ...config.projects].map(({ organization }) => organization)),
];

/**
 * Whether several organizations share the service. What belongs to the whole of it, such as its errors and
 * where its alerts go, may name any of them, so then no organization sees it: we chose that whoever runs such
 * a service reads its configuration and its log.
 */
export const hasSeveralOrganizations = (config: Pick<Config, 'sites' | 'projects'>): boolean =>
  organizationsOf(config).length > 1;

/**
 * The address of a page for readers: its own if it has one, otherwise the site's address, if it's known,
 * and the path as the site spells it; then the anchor.
 */
export function pageUrl(
  docs: Pick<Site['docs'], 'baseUrl' | 'pathStyle'>,
  page: { path: string; url?: string | undefined },
  anchor = '',
): string {
  const spelled = page.url ?? spell(page.path, docs.pathStyle);
  const isOfSite = spelled.startsWith('/');
  const address = isOfSite ? (docs.baseUrl ?? '') + spelled : spelled;
  if (!anchor) return address;
  // Anchors may contain letters of any script. Browsers compare them decoded.
  const encoded = encodeURIComponent(anchor);
  if (!address.includes('#')) return `${address}#${encoded}`;
  // The `#` of a site's path belongs to a router, and the heading is a parameter, as in docsify. Any
  // other address with a `#` points into a page already, such as an operation of an API reference.
  return isOfSite ? `${address}?id=${encoded}` : address;
}

function spell(path: string, style: Site['docs']['pathStyle']): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  if (path === '/' || style === undefined || style === 'clean') return encoded;
  return style === 'slash' ? `${encoded}/` : `${encoded}.html`;
}
