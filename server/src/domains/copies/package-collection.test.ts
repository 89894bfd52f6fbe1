import { describe, expect, it } from 'vitest';
import { type CollectPorts, type CollectRequest, collectPackages, shownAddress } from './package-collection.ts';

it.each([
  ['acme/net/aws//modules/vpc', 'acme/net/aws'],
  ['git::https://git.example/net.git//sub?ref=v1&depth=1', 'git::https://git.example/net.git?ref=v1'],
  ['https://files.example/net.zip?token=abc', 'https://files.example/net.zip'],
  ['git::https://someone:abc@git.example/net.git', 'git::https://git.example/net.git'],
  ['https://someone@git.example/net.zip?ref=v1', 'https://git.example/net.zip?ref=v1'],
])('shows %s without credentials and folder', (source, shown) => {
  expect(shownAddress(source)).toBe(shown);
});

/** Collects the calls of a repository whose packages, each with other files, call what `callsOf` returns. */
async function collect(callsOf: (number: number) => readonly string[]) {
  const fetched: string[] = [];
  const files = (key: string) => ({ archivePath: key, archiveDigest: key, leftOut: [] });
  const ports: CollectPorts = {
    packages: {
      resolve: async ({ address }) => ({
        kind: 'archive',
        url: address,
        shownUrl: address,
        root: '.',
        sub: '.',
        isPrivate: false,
      }),
      fetch: async ({ url }) => {
        fetched.push(url);
        return { digest: url, sizeBytes: 1, fileCount: 1, leftOut: [], sub: '.', archive: url };
      },
    },
    moduleCalls: {
      explore: async ({ isRoot }) => ({
        reached: ['.'],
        problems: [],
        programs: [],
        remoteCalls: callsOf(isRoot ? 0 : fetched.length).map((source, line) => ({
          folder: '.',
          file: 'main.tf',
          line,
          name: `m${line}`,
          source,
        })),
      }),
    },
  };
  const request: CollectRequest = {
    toolName: 'tofu',
    root: files('root'),
    entries: ['.'],
    credentials: {},
    folders: { shared: '', own: '', work: '' },
    signal: new AbortController().signal,
    onProgress: () => {},
    previous: [],
  };
  const code = await collectPackages(ports, request).then(
    ({ packages }) => packages.size,
    ({ code: refusal }: { code: string }) => refusal,
  );
  return { code, fetched: fetched.length };
}
const addressOf = (number: number): string => `https://files.example/${number}.zip`;

describe('packages of one copy', () => {
  it('are refused after 256 when a repository calls 10,000', async () => {
    const all = Array.from({ length: 10_000 }, (_, at) => addressOf(at));
    expect(await collect((at) => (at === 0 ? all : []))).toEqual({ code: 'copy_too_large', fetched: 257 });
    expect(await collect((at) => (at === 0 ? all.slice(0, 256) : []))).toEqual({ code: 256, fetched: 256 });
  });

  it('are refused after 256 when each calls another one without end', async () => {
    expect(await collect((at) => [addressOf(at)])).toEqual({ code: 'copy_too_large', fetched: 257 });
  });

  it('are fetched once when they call themselves and each other', async () => {
    const circle = (at: number) => [addressOf(at % 3), addressOf((at + 1) % 3)];
    expect(await collect(circle)).toEqual({ code: 3, fetched: 3 });
  });
});
