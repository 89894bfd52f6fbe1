import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ReleaseServer,
  signedRelease,
  startReleaseServer,
  wronglySignedRelease,
} from '../../../test/release-server.ts';
import { fetchRelease } from './index.ts';

let server: ReleaseServer;
beforeAll(async () => {
  server = await startReleaseServer();
});
afterAll(() => server.close());
const fetched = () => fetchRelease(server.channel);
const [file] = signedRelease().files;

describe('the latest release', () => {
  test('is read when it has the signature of the product', async () => {
    const published = signedRelease();
    server.publish(published);
    expect(await fetched()).toEqual(published);
  });

  test.each<[string, () => object]>([
    ['signed with another key', wronglySignedRelease],
    ['with a changed version', () => ({ ...signedRelease(), version: '9.9.9' })],
    ['with a changed ledger', () => ({ ...signedRelease(), ledger: 1 })],
    ['with a file more', () => ({ ...signedRelease(), files: [file, { ...file, name: 'other' }] })],
    ['with another digest', () => ({ ...signedRelease(), files: [{ ...file, sha512: 'BBBB' }] })],
    ['with an empty signature', () => ({ ...signedRelease(), signature: '' })],
  ])('is refused %s', async (_what, published) => {
    server.publish(published());
    await expect(fetched()).rejects.toThrow('not signed with the key of this product');
  });

  test.each<[string, () => object]>([
    ['of another format', () => ({ ...signedRelease(), format: 2 })],
    ['with the path of a file', () => ({ ...signedRelease(), files: [{ ...file, name: '../x' }] })],
    ['that is a list', () => []],
  ])('is refused %s', async (_what, published) => {
    server.publish(published());
    await expect(fetched()).rejects.toThrow('damaged, or of a format');
  });

  test('is refused when it is too large, not served or unreachable', async () => {
    server.publish({ padding: 'x'.repeat(300_000) });
    await expect(fetched()).rejects.toThrow('larger than a record can be');
    server.publish({}, 503);
    await expect(fetched()).rejects.toThrow('answers 503 for the latest release');
    const unreachable = fetchRelease({ ...server.channel, url: 'http://127.0.0.1:1/' });
    await expect(unreachable).rejects.toThrow('cannot be reached');
  });
});
