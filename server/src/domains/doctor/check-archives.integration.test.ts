import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { at, clock, put, said, serveGroup, server } from '../../../test/doctor-fixture.ts';
import { seedCapsule } from '../../../test/ledger-rows.ts';
import { writeArchive } from '../../drivers/archive/index.ts';
import { hashPackage } from '../../drivers/tofu/index.ts';
import { createSourcesStore } from '../sources/store.ts';

describe('files', () => {
  serveGroup();

  test('of snapshots exist while something needs them, and match their recorded digests', async () => {
    const { sourceId } = await seedCapsule(server);
    const archives = ['whole', 'altered', 'missing', 'collected'].map((mark) => {
      const entries = [{ path: 'main.tf', executable: false, bytes: Buffer.from(mark) }];
      const written = writeArchive({ dir: at('archives'), entries });
      const id = `snap_${mark}`;
      server.ledger((db) => {
        const store = createSourcesStore(db);
        store.insertSnapshot({
          id,
          workspaceId: server.workspaceId,
          sourceId,
          url: 'https://example.com/a',
          ref: 'HEAD',
          resolvedCommit: mark,
          path: '.',
          archiveDigest: written.digest,
          archiveSizeBytes: written.sizeBytes,
          repositoryManifest: { status: 'absent' },
          leftOut: [],
          commit: null,
          fetchedByRunId: 'ssr_1',
          fetchedAt: clock.now(),
        });
        if (mark !== 'collected')
          store.moveLane({ sourceId, ref: mark, path: '.', snapshotId: id, syncedAt: clock.now() });
      });
      return written.path;
    });
    const orphan = writeArchive({ dir: at('archives'), entries: [] });
    expect(await said()).toEqual([['archives', 'note', orphan.path]]);
    fs.rmSync(orphan.path);
    const [, altered = '', missing = '', collected = ''] = archives;
    fs.appendFileSync(altered, 'x');
    fs.rmSync(missing);
    fs.rmSync(collected);
    expect(await said()).toEqual([
      ['archives', 'problem', 'snap_missing'],
      ['archives', 'problem', altered],
    ]);
  });

  test('of provider packages match the digests they were stored with', async () => {
    const staged = put('staged/terraform-provider-time', 'program');
    const hex = Buffer.from(hashPackage(path.dirname(staged)).slice(3), 'base64').toString('hex');
    const packageDir = at('providers/registry.opentofu.org/hashicorp/time/0.1.0/linux_amd64');
    fs.mkdirSync(packageDir, { recursive: true, mode: 0o700 });
    const folder = path.join(packageDir, hex);
    fs.renameSync(path.dirname(staged), folder);
    fs.mkdirSync(at('providers/views/abc'), { recursive: true });
    fs.symlinkSync(folder, at('providers/views/abc/link'));
    expect(await said()).toEqual([]);
    fs.writeFileSync(path.join(folder, 'terraform-provider-time'), 'PROGRAM');
    expect(await said()).toEqual([['providers', 'problem', folder]]);
    fs.rmSync(folder, { recursive: true });
    expect(await said()).toEqual([['providers', 'note', at('providers/views/abc')]]);
  });
});
