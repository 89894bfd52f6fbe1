import type { Secret } from '#server/kernel/secret';
import type { TransferredFile } from '#server/runner/index';

export type TransferOptions = { machineId: string; key: Secret; signal: AbortSignal };

type DeletionOptions = Omit<TransferOptions, 'signal'> & { direction: 'in' | 'out' };

/** Messages between the server and the machines of pools. Methods reject while the connection is down. */
export type PoolsLink = {
  /** Says to the machines of a pool that a Run waits. */
  offer(poolId: string, offer: { runId: string; kind: 'plan' | 'apply'; attempt: number }): Promise<void>;
  /** Asks a machine for a beat now. May be lost. */
  announce(machineId: string): void;
  sendFile(file: string, options: TransferOptions): Promise<TransferredFile>;
  sendBytes(bytes: Uint8Array, options: TransferOptions): Promise<TransferredFile>;
  /** Fetches a file of a machine to a path at which there is none. */
  fetchFile(from: TransferredFile, options: TransferOptions & { file: string }): Promise<void>;
  /** Deletes a file that is not needed any more. `in`: to a machine; `out`: from it. */
  deleteFile(file: TransferredFile, options: DeletionOptions): Promise<void>;
  /** Deletes what is left of a journal on its way. */
  purgeJournal(machineId: string, jobId: string): Promise<void>;
};
