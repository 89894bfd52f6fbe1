import type { CapsuleRunInput, SyncInput } from '../src/domains/runs/index.ts';
import { digestOf } from '../src/kernel/digest.ts';

/** Input of a plan or an apply in tests; the records that it names need not exist. */
export const capsuleRunInput = (more: Partial<CapsuleRunInput> = {}): CapsuleRunInput => ({
  installConfigId: 'icfg_test',
  configDigest: digestOf('configuration'),
  reportId: 'report_test',
  sourceSnapshotId: 'snapshot_test',
  requirementsDigest: digestOf('requirements'),
  ...more,
});

export const syncInput: SyncInput = { url: 'https://example.com/module.git', path: '.', intent: 'observe' };
