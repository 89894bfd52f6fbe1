import { lstatSync, mkdtempSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type CheckReport, examine, examineTrail, type OpenExamination } from '#server/domains/doctor/index';
import type { ExportedKey } from '#server/domains/keys/index';
import type { DecryptWith } from '#server/drivers/backup-archive/index';
import { removeTree } from '#server/kernel/remove-tree';
import { removingOnSignal } from './remove-on-signal.ts';
import { type StagedBackup, stageBackup } from './restore.ts';

/** Result of checking a backup by restoring it. */
export type BackupVerification = {
  manifest: Omit<StagedBackup['manifest'], 'members'> & { memberCount: number; totalBytes: number };
  omitted: StagedBackup['omitted'];
  checks: CheckReport[];
  trail: { rows: number; isWhole: boolean } | undefined;
  /** The reason that the sealed values were not opened. */
  sealedBy: string | undefined;
  isWhole: boolean;
  milliseconds: number;
};

type VerifyOptions = {
  file: string;
  decryptWith: DecryptWith;
  /** Opens a restored folder with the keys of its backup, which are stored nowhere. */
  openFolder: (dataDir: string, keys: readonly ExportedKey[]) => Promise<OpenExamination>;
};

/**
 * Checks of the doctor that say nothing about a backup: those of this machine and of processes, those of Run folders and
 * of archives of Workspaces, which a backup does not hold, and that of the operator's packages of forms. The first start
 * ends such Runs and plans.
 */
const otherChecks = new Set([
  'folder',
  'server',
  'runs',
  'plans',
  'backups',
  'backup-schedule',
  'forms',
  'stray-folders',
  'leftovers',
  'disk',
  'machine',
]);

/** Restores a backup into a temporary folder, opens and checks everything in it, and deletes the folder. */
export async function verifyBackup({ file, decryptWith, openFolder }: VerifyOptions): Promise<BackupVerification> {
  const startedAt = performance.now();
  removeLeftovers(os.tmpdir());
  const parent = mkdtempSync(path.join(os.tmpdir(), folderPrefix));
  try {
    return await removingOnSignal(parent, async () => {
      const staged = await stageBackup({ file, decryptWith, stagingDir: path.join(parent, 'data') });
      const opened = await openFolder(staged.dir, staged.keys);
      try {
        const found = await check(opened);
        const milliseconds = Math.round(performance.now() - startedAt);
        return { ...describe(staged), ...found, milliseconds };
      } finally {
        opened.close();
      }
    });
  } finally {
    removeTree(parent);
  }
}

const folderPrefix = 'groundctl-verify-';
/** Age of a folder that a killed verification left; none takes this long. */
const leftoverMs = 24 * 3_600_000;

/** Removes the folders of this account that killed verifications left. */
function removeLeftovers(dir: string): void {
  for (const name of readdirSync(dir).filter((entry) => entry.startsWith(folderPrefix))) {
    const folder = path.join(dir, name);
    const stats = lstatSync(folder, { throwIfNoEntry: false });
    const isOwn = stats?.isDirectory() === true && stats.uid === process.getuid?.();
    if (isOwn && stats.mtimeMs < Date.now() - leftoverMs) removeTree(folder);
  }
}

function describe({ manifest: { members, ...head }, omitted }: StagedBackup) {
  const totalBytes = members.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return { manifest: { ...head, memberCount: members.length, totalBytes }, omitted };
}

async function check({ examination }: OpenExamination) {
  const checks = await examine(examination, { skipped: otherChecks });
  const { ledger, vault, store } = examination;
  const sealedBy = vault?.sealedBy?.message;
  const isOpen = ledger !== undefined && vault !== undefined && store !== undefined && sealedBy === undefined;
  const report = isOpen ? examineTrail({ ledger, vault, store }) : undefined;
  const trail = report && { rows: report.rows, isWhole: !report.broken && report.untoldRuns.length === 0 };
  const isWhole = trail?.isWhole === true && checks.every(({ outcome }) => outcome === 'ok' || outcome === 'note');
  return { checks, trail, sealedBy, isWhole };
}
