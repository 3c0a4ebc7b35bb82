import type { Config } from '../config/schema.ts';

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
