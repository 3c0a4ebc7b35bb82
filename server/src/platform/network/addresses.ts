/**
 * The network addresses that the service may call: only those of the public Internet, unless the
 * configuration names a host. The authors of links, redirects, and DNS names control where these lead.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** IANA's special-purpose registries, and metadata services of clouds. */
const notPublic = new BlockList();
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // Azure's host
  '169.254.0.0/16', // with the metadata service of most clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]) {
  const [address = '', bits] = range.split('/');
  notPublic.addSubnet(address, Number(bits), 'ipv4');
}
/** Parts of the global range for tunnels to IPv4, benchmarks, and documentation. */
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) {
  const [address = '', bits] = range.split('/');
  notPublic.addSubnet(address, Number(bits), 'ipv6');
}
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/** Whether an address in its usual spelling is on the public Internet. */
export function isPublicAddress(address: string): boolean {
  const kind = isIP(address);
  if (kind === 4) return !notPublic.check(address, 'ipv4');
  if (kind !== 6) return false;
  const inner = innerIpv4(address);
  if (inner !== undefined) return isPublicAddress(inner);
  return global6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}

/** The IPv4 address inside `::ffff:0:0/96` (mapped) and `64:ff9b::/96` (translated). */
function innerIpv4(address: string): string | undefined {
  // The URL parser has normalized the spelling.
  const parsed = new URL(`http://[${address.split('%', 1)[0]}]/`).hostname.slice(1, -1);
  const [, high, low] = /^(?:::ffff|64:ff9b:):([\da-f]{1,4}):([\da-f]{1,4})$/.exec(parsed) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const bytes = [high, low].flatMap((part) => {
    const number = Number.parseInt(part, 16);
    return [number >> 8, number & 255];
  });
  return bytes.join('.');
}

/** Whether the configuration names this host, or this host with this port. */
export function isNamedHost(url: URL, hosts: readonly string[]): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return hosts.some((named) => {
    const name = named.toLowerCase();
    return name === host || name === `${host}:${port}` || name === `[${host}]:${port}`;
  });
}

/** Why a URL may not be called, without looking up its name; `undefined` if it may. */
export function refusalOf(
  url: URL,
  { privateHosts, ports }: { privateHosts: readonly string[]; ports: ReadonlySet<string> },
): string | undefined {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `only http and https are read, not ${url.protocol.slice(0, -1)}`;
  }
  if (url.username !== '' || url.password !== '') return 'it carries a user name or password';
  if (isNamedHost(url, privateHosts)) return undefined;
  if (url.port !== '' && !ports.has(url.port)) {
    return `port ${url.port} is not one of a web site; if ${url.host} is your own, write it in "allowPrivateHosts"`;
  }
  // The URL parser has normalized decimal, octal and hexadecimal spellings.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isThisMachine = /(^|\.)localhost\.?$/.test(host);
  const isPrivate = isThisMachine || (isIP(host) !== 0 && !isPublicAddress(host));
  return isPrivate ? notPublicReason(url) : undefined;
}

export function notPublicReason(url: URL): string {
  return `${url.hostname} is not on the public Internet; a host of your own network must stand in "allowPrivateHosts"`;
}

/** Whether the host of an address is this machine. It may have a port. */
export const isLoopback = (host: string) =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);

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
