import fs from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { InstallModules } from '#shared/sources/module-scan';
import { withArchive } from '../../../test/scan-fixture.ts';
import { createScan, type Scan } from './index.ts';

const open: Scan[] = [];
afterEach(() => Promise.all(open.splice(0).map((scan) => scan.close())));

function openScan(options?: { timeoutMs: number }): Scan {
  const scan = createScan(options);
  open.push(scan);
  return scan;
}

const files = {
  'main.tf': 'variable "v" {\n  default = { a = [1, "b"] }\n}\nresource "time_static" "t" {}\n',
  'other/main.tf': 'resource "null_resource" "n" {}\n',
};

it('scans in a worker and returns a result that matches the contract', async () => {
  const { discovery, reports } = await withArchive(files, openScan().scan);
  expect(InstallModules.parse(discovery)).toEqual(discovery);
  expect(reports.map(({ modulePath, level }) => [modulePath, level])).toEqual([
    ['.', 'ready'],
    ['other', 'ready'],
  ]);
  expect(reports[0]?.rootModuleVariableDeclarations[0]?.default).toEqual({ a: [1, 'b'] });
});

it('scans several requests in sequence and returns each its own result', async () => {
  const { scan } = openScan();
  await withArchive(files, async (request) => {
    const results = await Promise.all(
      ['snap_a', 'snap_b'].map((sourceSnapshotId) => scan({ ...request, sourceSnapshotId })),
    );
    expect(results.map(({ discovery }) => discovery.sourceSnapshotId)).toEqual(['snap_a', 'snap_b']);
  });
});

it('returns scan_failed for a missing archive, and continues with the next', async () => {
  const { scan } = openScan();
  await withArchive(files, async (request) => {
    const result = await scan({ ...request, archivePath: `${request.archivePath}.gone` });
    expect(result.discovery).toMatchObject({ status: 'invalid', reason: 'scan_failed', modules: [] });
    expect(InstallModules.parse(result.discovery)).toEqual(result.discovery);
    expect(result.failure).toContain('The archive of this snapshot is gone');
    expect((await scan(request)).discovery.status).toBe('ready');
  });
});

it('reads no archive with another digest, and reports the fault', async () => {
  const { scan } = openScan();
  await withArchive(files, async (request) => {
    const archiveDigest = `sha256:${path.basename(request.archivePath, '.tar')}`;
    expect((await scan({ ...request, archiveDigest })).discovery.status).toBe('ready');
    fs.appendFileSync(request.archivePath, 'x');
    expect(await scan({ ...request, archiveDigest })).toMatchObject({
      failure: expect.stringContaining('not the one that was recorded'),
      archiveFault: 'archive_corrupt',
    });
  });
});

/** Texts that each take the parser about two seconds and are then refused. */
const slowText = `locals {\n  a = ${'['.repeat(900_000)}${']'.repeat(900_000)}\n}\n`;
const slow = Object.fromEntries(
  Array.from({ length: 8 }, (_, index) => [`part-${index}.tf`, `${slowText}# ${index}\n`]),
);

it('aborts a scan that takes too long and starts a new worker for the next', async () => {
  const { scan } = openScan({ timeoutMs: 2_000 });
  const late = await withArchive(slow, scan);
  expect(late).toMatchObject({ discovery: { reason: 'scan_failed' }, failure: 'The scan took longer than 2 seconds.' });
  // On a busy machine the start of a worker can take as long.
  await expect.poll(async () => (await withArchive(files, scan)).discovery.status, { timeout: 50_000 }).toBe('ready');
});

it('ends a running scan when it is closed, and refuses further ones', async () => {
  const scan = openScan();
  await withArchive(slow, async (request) => {
    const running = scan.scan(request);
    await new Promise(setImmediate);
    await scan.close();
    const stopped = { discovery: { reason: 'scan_failed' }, failure: 'The scan was stopped. Try again.' };
    expect(await running).toMatchObject(stopped);
    expect(await scan.scan(request)).toMatchObject(stopped);
  });
});
