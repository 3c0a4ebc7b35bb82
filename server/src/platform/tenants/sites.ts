import type { Config } from '../config/schema.ts';
import type { SiteConfig } from '../config/site-config.ts';
import { DocentError } from '../errors.ts';
import type { Caller } from '../auth/keys.ts';

export type Site = SiteConfig;

export type Sites = ReturnType<typeof createSites>;

/** The sites of the configuration, by their domain. */
export function createSites(config: Pick<Config, 'sites'>) {
  const byDomain = new Map(config.sites.map((site) => [site.domain, site]));

  const isTheirs = (site: Site, caller: Caller) =>
    site.organization === caller.organization &&
    (caller.domain === undefined || caller.domain === site.domain);

  return {
    all: config.sites,

    find: (domain: string): Site | undefined => byDomain.get(domain),

    /** The site that an admin names; the refusal lists those that there are. */
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
     * The site of a request, if this caller may ask it. A site of another organization, one that the
     * key is not for and one that does not exist get the same answer.
     */
    forCaller(domain: string, caller: Caller): Site {
      const site = byDomain.get(domain);
      if (!site || !isTheirs(site, caller)) {
        throw new DocentError('not_found', 'There is no site with this domain for your key.');
      }
      return site;
    },

    /** The sites that this caller may ask. */
    ofCaller: (caller: Caller): Site[] => config.sites.filter((site) => isTheirs(site, caller)),
  };
}
