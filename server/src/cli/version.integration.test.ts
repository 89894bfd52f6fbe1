import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  type ReleaseServer,
  signedRelease,
  startReleaseServer,
  wronglySignedRelease,
} from '../../test/release-server.ts';
import type { ReleaseChannel } from '../drivers/releases/index.ts';
import { showVersion } from './version.ts';

let server: ReleaseServer;
beforeAll(async () => {
  server = await startReleaseServer();
});
afterAll(() => server.close());

async function show(options: { check?: true; json?: true }, channel?: ReleaseChannel): Promise<string> {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await showVersion({ name: 'version', args: [], options, wantsHelp: false }, channel);
    return write.mock.calls.join('');
  } finally {
    write.mockRestore();
  }
}

test('says its version, and needs no network without --check', async () => {
  expect(await show({})).toMatch(/^groundctl \d+\.\d+\.\d+\n$/);
});

test.each([
  ['a newer release', {}, /^groundctl \S+\n9\.8\.7 of 2026-11-27 is newer: https:\S+\nNothing was installed\.\n$/],
  ['an older one', { version: '0.0.1' }, /\nThis is the latest release\.\n$/],
  ['one behind the ledger', { ledger: 1 }, /cannot open a ledger of this version/],
])('names %s', async (_what, more, expected) => {
  server.publish(signedRelease(more));
  expect(await show({ check: true }, server.channel)).toMatch(expected);
});

test('answers programs in JSON', async () => {
  server.publish(signedRelease());
  expect(JSON.parse(await show({ check: true, json: true }, server.channel))).toEqual({
    version: expect.any(String),
    ledger: expect.any(Number),
    latest: { version: '9.8.7', publishedAt: '2026-11-27T00:00:00Z', notesUrl: 'https://example.test/notes/9.8.7' },
    verdict: 'newer',
  });
});

test('fails with the reason in a copy without a channel, and for a record that it does not accept', async () => {
  await expect(show({ check: true })).rejects.toMatchObject({ exitCode: 1, code: 'no_release_channel' });
  server.publish(wronglySignedRelease());
  await expect(show({ check: true }, server.channel)).rejects.toMatchObject({ exitCode: 1, code: 'release_unknown' });
});
