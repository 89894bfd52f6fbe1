import { createGcStore, type GcFolders, type GcStore, gcFoldersOf } from '#server/domains/gc/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import type { SealContext } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { isDataDirLocked, type LedgerView, pendingMigrations, viewLedger } from '#server/kernel/db';
import { type RuntimeFile, readRuntimeFile } from '#server/kernel/runtime-files';
import type { SandboxProbe } from '#server/runner/index';
import { createDoctorStore, type DoctorStore, type SealedColumn } from './store.ts';

/** The vault as far as it is needed to look; `sealedBy` says why it opens nothing. */
export type OpenVault = {
  open(context: SealContext, sealed: Buffer): Buffer;
  installationKey(purpose: string): string;
  readonly sealedBy?: { message: string } | undefined;
};

/** What this machine offers, asked anew. */
export type Machine = {
  findTool(): Promise<ToolIdentity | undefined>;
  probe(tool: ToolIdentity | undefined): Promise<SandboxProbe>;
  freeBytes(): number;
  /** Why the allowances of a command cannot be held for all of it; undefined when they can. */
  shortfall(): string | undefined;
};

/** What can be looked at without a ledger. */
export type BaseExamination = {
  folders: GcFolders;
  clock: Clock;
  machine: Machine;
  /** Whether a server holds the data folder now, and what it has written about itself. */
  isServerRunning: boolean;
  runtime: RuntimeFile | undefined;
  sealedColumns: readonly SealedColumn[];
  /** Why there is no ledger to look into. */
  ledgerFault: string | undefined;
};

/** Everything a check may look at; what is not there, a check that needs it does not see. */
export type Examination = BaseExamination & {
  ledger: LedgerView;
  /** Tables that the ledger lacks because no server of this version was started on it yet; negative for a newer ledger. */
  pendingMigrations: number;
  store: DoctorStore;
  gc: GcStore;
  vault: OpenVault;
};

export type Openings = Pick<BaseExamination, 'clock' | 'machine' | 'sealedColumns'> & {
  dataDir: string;
  openVault: (ledger: LedgerView) => Promise<OpenVault>;
};
export type OpenExamination = { examination: BaseExamination & Partial<Examination>; close(): void };

/** Opens what there is, for looking alone. */
export async function openExamination({ dataDir, openVault, ...options }: Openings): Promise<OpenExamination> {
  const base = {
    ...options,
    folders: gcFoldersOf(dataDir),
    isServerRunning: isDataDirLocked(dataDir),
    runtime: readRuntimeFile(dataDir),
  };
  const opened = openLedger(dataDir);
  if (typeof opened === 'string') return { examination: { ...base, ledgerFault: opened }, close: () => {} };
  const { ledger, pending } = opened;
  const hasTables = pending === 0;
  try {
    const examination = {
      ...base,
      ledgerFault: undefined,
      ledger,
      pendingMigrations: pending,
      store: createDoctorStore(ledger),
      ...(hasTables && { gc: createGcStore(ledger), vault: await openVault(ledger) }),
    };
    return { examination, close: ledger.close };
  } catch (error) {
    ledger.close();
    throw error;
  }
}

function openLedger(dataDir: string): { ledger: LedgerView; pending: number } | string {
  try {
    const ledger = viewLedger(dataDir);
    return ledger ? { ledger, pending: pendingMigrations(ledger.sqlite) } : 'There is no ledger in this folder.';
  } catch (error) {
    return `The ledger cannot be opened: ${error instanceof Error ? error.message : 'unknown error'}.`;
  }
}
