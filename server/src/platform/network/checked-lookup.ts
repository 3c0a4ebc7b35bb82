import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isNamedHost, isPublicAddress, notPublicReason } from './addresses.ts';

/** What the check says where a name leads to an address that may not be asked. */
export type Refuse = (url: URL, reason: string) => Error;

/**
 * Looks a name up once, for one connection: it goes to an address that was checked here and nowhere
 * else, whatever the name's owner answers the next time. One private address among several refuses all.
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
    /** The system's resolver where it is left out. */
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
