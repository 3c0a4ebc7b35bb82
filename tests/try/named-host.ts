import type { ForgeKind, HostAddress } from '../support/forges/admin.ts';

/** The server that the user of `forge-try.ts` names. */
export const namedHost: HostAddress = {
  kind: (process.env['FORGE_TRY_KIND'] ?? 'gitea') as ForgeKind,
  url: process.env['FORGE_TRY_URL'] ?? '',
  token: process.env['FORGE_TRY_TOKEN'] ?? '',
};
