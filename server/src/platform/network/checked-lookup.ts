import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isNamedHost, isPublicAddress, notPublicReason } from './addresses.ts';

export type Refuse = (url: URL, reason: string) => Error;

/**
 * Looks a name up once for a connection, so that it goes to an address that was checked, whatever the
 * DNS answers next time. One private address among several refuses all.
 */
export function checkedLookup(
  url: URL,
  {
    privateHosts,
    refuse,
    lookup = systemLookup,
  }: {
    privateHosts: readonly string[];
    refuse: Refuse;
    lookup?: typeof systemLookup | undefined;
  },
): LookupFunction {
  return (hostname, settings, done) => {
    lookup(hostname, { ...settings, all: true }, (error, found) => {
      if (error) return done(error, '');
      const addresses = found as LookupAddress[];
      const mayBePrivate = isNamedHost(url, privateHosts);
      const [first] = addresses;
      if (!first || !(mayBePrivate || addresses.every(({ address }) => isPublicAddress(address)))) {
        return done(refuse(url, notPublicReason(url)), '');
      }
      if (settings.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}
