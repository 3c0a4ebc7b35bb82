/** Which sites are built from a branch of a repository: a push there indexes them. */
import { expect, test } from 'vitest';
import { SiteConfig } from '../config/site-config.ts';
import { createSites } from './sites.ts';

const siteOf = (domain: string, organization: string, source: object) =>
  SiteConfig.parse({
    domain,
    organization,
    name: domain,
    allowedOrigins: ['*'],
    docs: { sources: [{ type: 'git', ...source }] },
  });

const url = 'https://github.com/acme/docs';
const sites = createSites({
  config: {
    sites: [
      siteOf('default', 'acme', { url: `${url}.git` }),
      siteOf('next', 'acme', { url, ref: 'next' }),
      siteOf('theirs', 'other', { url }),
      siteOf('elsewhere', 'acme', { url: 'https://gitlab.com/acme/docs' }),
    ],
  },
  connected: { sites: () => [], reload: async () => undefined },
});

test('the default branch builds sites without a branch, in whatever spelling', () => {
  expect(sites.builtFrom('https://github.com/Acme/docs', 'main')).toEqual(['default', 'theirs']);
});

test('another branch builds the sites that name it', () => {
  expect(sites.builtFrom(url, 'next', { isDefault: false })).toEqual(['next']);
  expect(sites.builtFrom(url, 'fix', { isDefault: false })).toEqual([]);
});

test('what an organization hears of builds only its own sites', () => {
  expect(sites.builtFrom(url, 'main', { organization: 'acme' })).toEqual(['default']);
});
