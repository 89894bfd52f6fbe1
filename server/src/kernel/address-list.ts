import { BlockList, isIP } from 'node:net';

const ipFamilyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Creates a test for a list of addresses and networks, such as `10.0.0.0/8`. Throws for an entry that is neither. */
export function addressList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of entries) {
    const [address = '', bits, ...rest] = entry.split('/');
    const most = isIP(address) === 6 ? 128 : 32;
    if (isIP(address) === 0 || rest.length > 0) throw new Error('not an address');
    if (bits === undefined) list.addAddress(address, ipFamilyOf(address));
    else if (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most)
      list.addSubnet(address, Number(bits), ipFamilyOf(address));
    else throw new Error('not a network');
  }
  return (address) => isIP(address) !== 0 && list.check(address, ipFamilyOf(address));
}
