import { BlockList, isIP } from 'node:net';

/** The stored form of an address or a subnet, such as `203.0.113.7` or `2001:db8::/32`; `undefined` if it's neither. */
export function readNetwork(text: string): string | undefined {
  const [address = '', prefix, ...rest] = text.trim().toLowerCase().split('/');
  const version = isIP(address);
  // A zone (`fe80::1%eth0`) means something on one machine only.
  if (version === 0 || address.includes('%') || rest.length > 0) return undefined;
  if (prefix === undefined) return address;
  const most = version === 4 ? 32 : 128;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= most
    ? `${address}/${Number(prefix)}`
    : undefined;
}

/** Whether an address is in one of the networks, also if the system writes an IPv4 address as IPv6. */
export function isInNetworks(networks: readonly string[], address: string): boolean {
  const version = isIP(address);
  if (version === 0) return false;
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', prefix] = network.split('/');
    const family = familyOf(isIP(base));
    if (prefix === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(prefix), family);
  }
  return list.check(address, familyOf(version));
}

const familyOf = (version: number) => (version === 6 ? 'ipv6' : 'ipv4');
