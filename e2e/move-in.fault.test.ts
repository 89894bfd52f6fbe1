import { existsSync, mkdtempSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeTree } from '../server/src/kernel/remove-tree.ts';
import { armFailpoint } from './fixtures/crash.ts';
import { expectSoundLedger } from './fixtures/crash-checks.ts';
import { depth } from './fixtures/depth.ts';
import { findDoctorProblems } from './fixtures/doctor.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyElsewhere, importFolders, writeToolConfig } from './fixtures/moving-folders.ts';
import { createRandom } from './fixtures/random.ts';
import { findTool } from './fixtures/tool.ts';

const random = createRandom();
/** Commits of an import: Source, sync, check, upload, and the Capsule with its Run. */
const commits = Array.from({ length: 12 }, (_, at) => [`ledger.commit@${at + 1}`, `ledger.committed@${at + 1}`]).flat();
const own = ['import.stored@1', 'import.requested@1', 'restore.requested@1'];
const points = depth({ quick: [...own, commits[random.below(commits.length)] as string], deep: [...own, ...commits] });

const work = mkdtempSync(path.join(os.tmpdir(), 'groundctl-move-in-'));
let harness: Harness;
let round = 0;
beforeAll(async () => {
  harness = await startHarness();
  await writeToolConfig(work);
});
afterAll(async () => {
  await harness?.stop();
  removeTree(work);
});

function count(text: string, value: string): number {
  const ledger = new Database(path.join(harness.server.dataDir, 'ledger.db'), { readonly: true });
  try {
    return ledger.prepare(text).pluck().get(value) as number;
  } finally {
    ledger.close();
  }
}

describe('a server that dies while a folder is imported', () => {
  it.for(points)(
    'at %s has one Capsule and one Run after the import is repeated',
    { timeout: 120_000 },
    async (point) => {
      round += 1;
      const name = `import-${round}`;
      const files = { 'main.tf': 'resource "terraform_data" "one" {\n  input = 1\n}\n' };
      const dir = await applyElsewhere(work, findTool(), { name, files });
      const mark = await armFailpoint(harness, `${point}:kill`, path.join(work, `mark-${round}`));
      // A commit of the start itself may strike before the import.
      if (!existsSync(mark)) {
        const command = importFolders(harness, [dir]);
        await Promise.race([harness.server.gone, command]);
        // The command waits for the server to come back and repeats its request.
        await harness.server.restart({ GROUNDCTL_FAILPOINT: '' });
        await command;
      } else await harness.server.restart({ GROUNDCTL_FAILPOINT: '' });
      const again = await importFolders(harness, [dir]);
      const [imported] = again.imports;
      expect([again.code, imported?.import.phase]).toEqual([3, 'requested']);
      const capsuleId = imported?.capsuleId ?? '';
      expect(count('SELECT count(*) FROM capsules WHERE name = ?', name)).toBe(1);
      expect(count('SELECT count(*) FROM imports WHERE capsule_id = ?', capsuleId)).toBe(1);
      expect(count('SELECT count(*) FROM runs WHERE capsule_id = ?', capsuleId)).toBe(1);
      expect(
        count("SELECT count(*) FROM runs WHERE id = ? AND status = 'waiting_approval'", imported?.runId ?? ''),
      ).toBe(1);
      await expectSoundLedger(harness);
      expect(await findDoctorProblems(harness)).toEqual([]);
    },
  );
});
