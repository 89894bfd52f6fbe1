import { expect, test, vi } from 'vitest';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { heldClock, tempDir } from '../../../test/harness.ts';
import { findFact, writeFact } from '../../kernel/installation.ts';
import { createLog } from '../../kernel/log.ts';
import { removeTree } from '../../kernel/remove-tree.ts';
import { openGate } from '../../kernel/work-gate.ts';
import { createInstallationBackupScheduler } from './index.ts';

test('a backup that is due while another one is made begins later, without a failure', async () => {
  const dataDir = tempDir();
  const db = openTestLedger(dataDir);
  const clock = heldClock();
  const now = clock.now();
  db.write(() => writeFact(db, 'backup_schedule', { dueAt: now }));
  const scheduler = createInstallationBackupScheduler({
    db,
    clock,
    log: createLog('silent'),
    unattendedGate: openGate,
    dataDir,
    settings: { recipients: [], hour: 3, keep: 2 },
    openTarget: () => {
      throw new Error('The backup began.');
    },
    backups: { isBusy: () => true, create: async () => [] as never },
  });
  scheduler.start();
  await vi.waitFor(() => expect(findFact(db, 'backup_schedule')).toEqual({ dueAt: now, retryAt: now + 60_000 }));
  await scheduler.stop();
  db.close();
  removeTree(dataDir);
});
