import { BlockList, isIP } from 'node:net';

/** An address or a subnet as it is kept, such as `203.0.113.7` or `2001:db8::/32`; `undefined` where it is neither. */
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

/** Whether an address is in one of the networks. IPv4 counts as such also where the system writes it as IPv6. */
export function isInNetworks(networks: readonly string[], address: string): boolean {
  const version = isIP(address);
  return version !== 0 && listOf(networks).check(address, familyOf(version));
}

const familyOf = (version: number) => (version === 6 ? 'ipv6' : 'ipv4');

/** Few keys have networks, and each asks often. */
const lists = new Map<string, BlockList>();
const listsMost = 1_000;

function listOf(networks: readonly string[]): BlockList {
  const name = networks.join(' ');
  const known = lists.get(name);
  if (known) return known;
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    const family = familyOf(isIP(address));
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  if (lists.size >= listsMost) lists.clear();
  lists.set(name, list);
  return list;
}
