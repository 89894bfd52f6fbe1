import { isoTime } from '#server/kernel/clock';
import { present } from '#server/kernel/present';
import type { Backup } from '#shared/backups/contract';
import type { BackupRow } from './store.ts';

export const backupOf = ({ seq: _seq, ...row }: BackupRow): Backup => ({
  ...(present(row) as unknown as Omit<Backup, 'ref' | 'createdAt'>),
  ref: `backup://${row.id}`,
  createdAt: isoTime(row.createdAt),
});
