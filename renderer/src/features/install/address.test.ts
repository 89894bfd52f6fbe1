import { describe, expect, it } from 'vitest';
import { installAddress } from '../../api/install-address.ts';
import { nameOf, readAddress, repositoryName, uniqueName } from './address.ts';

const copy = 'svc-copy:copy_01M7Z83NVFG2M6CEC4RENWJDTJ';
const rules = { allowLoopback: true, allowLocal: true };
const addressOf = (text: string) => {
  const reading = readAddress(text, rules);
  return reading.kind === 'readable' ? reading.address : reading.kind;
};

describe('an address', () => {
  it.each([
    ['https://host.example/o/r', { url: 'https://host.example/o/r', ref: 'HEAD', path: '.' }],
    ['/srv/git/my repo', { url: 'file:///srv/git/my%20repo', ref: 'HEAD', path: '.' }],
    [copy, { url: copy, ref: 'HEAD', path: '.' }],
    [`${copy}//modules/net`, { url: copy, ref: 'HEAD', path: 'modules/net' }],
    ['https://github.com/o/r/tree/v1/modules/net', { url: 'https://github.com/o/r', ref: 'v1', path: 'modules/net' }],
  ])('is read from %s and comes back the same after packing', (text, address) => {
    expect(addressOf(text)).toEqual(address);
    expect(addressOf(installAddress(address))).toEqual(address);
  });

  it('keeps a branch with a slash and a folder with a space', () => {
    const address = { url: 'https://host.example/o/r.git', ref: 'feature/x', path: 'a b/c' };
    expect(addressOf(installAddress(address))).toEqual(address);
  });

  it('says what an SSH address became and that credentials were left out', () => {
    expect(readAddress('git@host.example:o/r.git', rules)).toMatchObject({ wasSsh: true, hadCredentials: false });
    const reading = readAddress('https://me:secret@host.example/o/r', rules);
    expect(reading).toMatchObject({ hadCredentials: true, address: { url: 'https://host.example/o/r' } });
  });

  it('is refused by the rules of the server, and unreadable text is not an address', () => {
    expect(readAddress('/srv/r', { ...rules, allowLocal: false })).toMatchObject({ reason: 'git_file_not_allowed' });
    expect(addressOf('hello world')).toBe('unreadable');
    expect(addressOf('  ')).toBe('empty');
  });
});

describe('the name of a Capsule', () => {
  const address = { url: 'https://host.example/o/My%20repo.git', ref: 'HEAD', path: '.' };
  it('is the folder of the module, else the folder that is read, else the repository', () => {
    expect(nameOf(address, 'modules/net')).toBe('net');
    expect(nameOf({ ...address, path: 'stacks/shop' }, '.')).toBe('shop');
    expect(nameOf(address, '.')).toBe('My repo');
    expect(nameOf({ url: copy, path: '.' }, '.', 'shop')).toBe('shop');
    expect(nameOf({ url: copy, path: '.' }, 'modules/net', 'shop')).toBe('net');
    expect(repositoryName('https://host.example/%E0%A4%A')).toBe('%E0%A4%A');
  });
  it('is followed by the first free number', () => {
    expect(uniqueName('net', (name) => ['net', 'net-2'].includes(name))).toBe('net-3');
  });
});
