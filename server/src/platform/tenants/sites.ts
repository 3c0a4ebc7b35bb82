import { restartNeeded } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import type { SiteConfig } from '../config/site-config.ts';
import { DocentError } from '../errors.ts';
import { type Caller } from '../auth/caller.ts';

export type Site = SiteConfig;

export type Sites = ReturnType<typeof createSites>;

/** The sites of the configuration, by their domain. `isOld` says that its file has changed since. */
export function createSites(config: Pick<Config, 'sites'>, isOld: () => boolean = () => false) {
  const byDomain = new Map(config.sites.map((site) => [site.domain, site]));

  const isTheirs = (site: Site, caller: Caller) =>
    site.organization === caller.organization &&
    (caller.domain === undefined || caller.domain === site.domain);

  return {
    all: config.sites,

    find: (domain: string): Site | undefined => byDomain.get(domain),

    /** The site that an admin names. The error lists all sites. */
    named(domain: string): Site {
      const site = byDomain.get(domain);
      if (site) return site;
      const known = [...byDomain.keys()].join(', ');
      throw new DocentError(
        'bad_request',
        `There is no site "${domain}"; the configuration has ${known}.`,
      );
    },

    /**
     * The site of a request, if the caller may use it. A site of another organization, one that the key isn't
     * for, and one that doesn't exist get the same error.
     */
    forCaller(domain: string, caller: Caller): Site {
      const site = byDomain.get(domain);
      if (!site || !isTheirs(site, caller)) {
        const why = isOld() ? ` ${restartNeeded} Restart it.` : '';
        throw new DocentError('not_found', `There is no site with this domain for your key.${why}`);
      }
      return site;
    },

    /** The domains whose pages come from this branch of a repository. Without a `ref`, that's the one that it merges into. */
    builtFrom: (repository: string, branch: string): string[] =>
      config.sites
        .filter(({ docs }) =>
          docs.sources.some(
            (source) =>
              source.type === 'git' &&
              source.url === repository &&
              (source.ref ?? branch) === branch,
          ),
        )
        .map(({ domain }) => domain),

    /** The sites that the caller may use. */
    ofCaller: (caller: Caller): Site[] => config.sites.filter((site) => isTheirs(site, caller)),
  };
}
