import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ReleaseChannel,
  type ReleaseRecord,
  recordName,
  signRecord,
  type UnsignedRecord,
} from '../src/drivers/releases/index.ts';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const otherKey = generateKeyPairSync('ed25519').privateKey;

const sample: UnsignedRecord = {
  format: 1,
  version: '9.8.7',
  ledger: 9_999,
  publishedAt: '2026-11-27T00:00:00Z',
  notesUrl: 'https://example.test/notes/9.8.7',
  files: [{ name: 'Ground-Control-9.8.7.AppImage', sizeBytes: 12, sha512: 'AAAA' }],
};

export const signedRelease = (more: Partial<UnsignedRecord> = {}): ReleaseRecord =>
  signRecord({ ...sample, ...more }, privateKey);

/** A release that another key has signed. */
export const wronglySignedRelease = (): ReleaseRecord => signRecord(sample, otherKey);

export type ReleaseServer = {
  channel: ReleaseChannel;
  /** Serves a record, or a file of the release by its name. */
  publish(content: object, status?: number): void;
  publishFile(name: string, bytes: Buffer | string): void;
  close(): void;
};

/** Serves releases on loopback. */
export async function startReleaseServer(): Promise<ReleaseServer> {
  const files = new Map<string, { status: number; body: Buffer | string }>();
  const server = http.createServer((request, response) => {
    const name = new URL(request.url ?? '', 'http://release').pathname.replace('/stable/', '');
    const { status, body } = files.get(name) ?? { status: 404, body: '' };
    response.writeHead(status, { 'content-length': Buffer.byteLength(body) }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/stable/`;
  return {
    channel: { url, publicKey: publicKey.export({ format: 'jwk' }).x ?? '' },
    publish: (content, status = 200) => void files.set(recordName, { status, body: JSON.stringify(content) }),
    publishFile: (name, body) => void files.set(name, { status: 200, body }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
