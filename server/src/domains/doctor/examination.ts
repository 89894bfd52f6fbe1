import { createGcStore, type GcFolders, type GcStore, gcFoldersOf } from '#server/domains/gc/index';
import type { ToolIdentity } from '#server/drivers/tofu/index';
import type { SealContext } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { isDataDirLocked, type LedgerView, pendingMigrations, viewLedger } from '#server/kernel/db';
import { noLedger } from '#server/kernel/ledger-file';
import { type RuntimeFile, readRuntimeFile } from '#server/kernel/runtime-files';
import type { SandboxProbe } from '#server/runner/index';
import { createDoctorStore, type DoctorStore, type SealedColumn } from './store.ts';

/** The vault, opened read-only; `sealedBy` is the reason when it cannot be opened. */
type OpenVault = {
  open(context: SealContext, sealed: Buffer): Buffer;
  installationKey(purpose: string): string;
  readonly sealedBy?: { message: string } | undefined;
};

/** Capabilities of this machine, probed now. */
export type Machine = {
  platform: NodeJS.Platform;
  findTool(): Promise<ToolIdentity | undefined>;
  probe(tool: ToolIdentity | undefined): Promise<SandboxProbe>;
  freeBytes(): number;
  /** The reason that the resource limits of a command cannot be enforced for its process tree; undefined when they can. */
  shortfall(): string | undefined;
};

/** Data for checks that need no ledger. */
export type BaseExamination = {
  folders: GcFolders;
  clock: Clock;
  machine: Machine;
  /** The server that holds the data folder now, if any, and its runtime file. */
  isServerRunning: boolean;
  runtime: RuntimeFile | undefined;
  sealedColumns: readonly SealedColumn[];
  /** The reason that the ledger is not available. */
  ledgerFault: string | undefined;
};

/** Data for all checks; a check whose requirements are missing does not run. */
export type Examination = BaseExamination & {
  ledger: LedgerView;
  /** Number of tables that the ledger lacks because no server of this version was started on it yet; negative for a newer ledger. */
  pendingMigrations: number;
  store: DoctorStore;
  gc: GcStore;
  vault: OpenVault;
};

type Openings = Pick<BaseExamination, 'clock' | 'machine' | 'sealedColumns'> & {
  dataDir: string;
  openVault: (ledger: LedgerView) => Promise<OpenVault>;
};
export type OpenExamination = { examination: BaseExamination & Partial<Examination>; close(): void };

/** Opens everything that exists, read-only. */
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
    return ledger ? { ledger, pending: pendingMigrations(ledger.sqlite) } : noLedger;
  } catch (error) {
    return `The ledger cannot be opened: ${error instanceof Error ? error.message : 'unknown error'}.`;
  }
}
