import { expect, test } from 'vitest';
import { builderOptions, channelOptions, readSigning, type Signing } from './signing.ts';

const apple = { APPLE_API_KEY: 'key.p8', APPLE_API_KEY_ID: 'id', APPLE_API_ISSUER: 'issuer' };
const certificate = { CSC_LINK: 'file', CSC_KEY_PASSWORD: 'password' };

test('signs on macOS with a certificate, and notarizes with a key for it only', () => {
  expect(readSigning({ ...certificate, ...apple }, 'darwin')).toMatchObject({ signed: true, notarized: true });
  expect(readSigning(certificate, 'darwin')).toMatchObject({ signed: true, notarized: false });
  expect(readSigning(apple, 'darwin')).toMatchObject({ signed: false, notarized: false });
  expect(readSigning({ ...certificate, CSC_KEY_PASSWORD: '' }, 'darwin').signed).toBe(false);
});

test('signs on Windows with the certificate for Windows only', () => {
  expect(readSigning({ WIN_CSC_LINK: 'file', WIN_CSC_KEY_PASSWORD: 'password' }, 'win32').signed).toBe(true);
  expect(readSigning(certificate, 'win32').signed).toBe(false);
});

test('says why a package is unsigned, and names it so', () => {
  const signing = readSigning({ ...certificate, ...apple }, 'linux');
  expect(signing).toEqual({ signed: false, notarized: false, reason: expect.stringContaining('SHA256SUMS') });
  const options = builderOptions(signing, 'linux');
  expect(options).toContain(
    '-c.artifactName=Ground-Control-$' + '{version}-$' + '{os}-$' + '{arch}-unsigned.$' + '{ext}',
  );
  expect(options).toContain('-c.forceCodeSigning=false');
});

test('fails a build that should be signed and cannot be', () => {
  const options = builderOptions(readSigning({ ...certificate, ...apple }, 'darwin'), 'darwin');
  expect(options).toContain('-c.forceCodeSigning=true');
  expect(options).toContain('-c.mac.notarize=true');
  expect(options.join()).not.toContain('unsigned');
});

test('names a release channel only in packages whose updates can be checked', () => {
  const channel = { GROUNDCTL_RELEASES_URL: 'https://example.test/', GROUNDCTL_RELEASE_PUBLIC_KEY: 'key' };
  const [signed, unsigned] = [true, false].map((is) => ({ signed: is, notarized: false, reason: '' }));
  const expected = expect.arrayContaining([
    '-c.publish.url=https://example.test/',
    '-c.extraMetadata.releases.publicKey=key',
  ]);
  expect(channelOptions(channel, signed as Signing, 'darwin')).toEqual(expected);
  expect(channelOptions(channel, unsigned as Signing, 'linux')).toEqual(expected);
  expect(channelOptions(channel, unsigned as Signing, 'darwin')).toEqual([]);
  expect(channelOptions(channel, unsigned as Signing, 'win32')).toEqual([]);
  expect(channelOptions({ ...channel, GROUNDCTL_RELEASE_PUBLIC_KEY: '' }, signed as Signing, 'darwin')).toEqual([]);
});
