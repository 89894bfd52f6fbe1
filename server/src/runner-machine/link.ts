import type { VersionSkew } from '#shared/runner-pools/contract';
import type { HandedJob, TransferredFile } from '../runner/contract/remote/handed-job.ts';
import type { RunFile } from '../runner/contract/remote/run-files.ts';

/** One attempt of a job on this machine. The ticket is void as soon as the job was given to another one. */
export type Claim = { jobId: string; ticket: string };

/** State of a held job, as the machine reports it. `lost`: its supervisor is gone and no other one can conclude it. */
export type HeldState = 'working' | 'lost';

/** Answer of the ledger about a held job. `offset`: bytes of its journal that the server has. */
export type Verdict = Claim & {
  state: 'held' | 'ended' | 'void';
  offset: number;
  isCancelled: boolean;
  /** True while the server fetches a file of it. */
  isFetching?: boolean | undefined;
};

/** A job as the machine gets it: key and files to fetch, and the bytes of its journal that the server has. */
export type Handed = { job: HandedJob; offset: number };

/** Messages between a machine and its server. Every method may reject while the connection is down; then it is repeated. */
export type MachineLink = {
  /** Waits for an offer for a while. Undefined when there was none. */
  nextOffer(signal: AbortSignal): Promise<{ runId: string; attempt: number; acknowledge(): void } | undefined>;
  /** Asks for the Run of an offer. Undefined when it is not for this machine. */
  claim(offer: { runId: string; attempt: number }): Promise<Claim | undefined>;
  /** Asks for a claimed job. `pending`: the server prepares it. Undefined: the ticket is void. */
  resume(claim: Claim): Promise<Handed | 'pending' | undefined>;
  /** Asks whether an apply may start. */
  permit(claim: Claim, key: Buffer): Promise<'granted' | 'refused'>;
  /** Reports this machine and its jobs. The answer covers every job of this machine that the ledger knows. */
  beat(report: {
    jobs: readonly (Claim & { offset: number; state: HeldState })[];
    freeSlots: number;
    isDraining: boolean;
  }): Promise<{
    jobs: readonly Verdict[];
    isDraining: boolean;
    /** Difference of version for which this machine gets no Runs. */
    versionSkew?: VersionSkew | undefined;
  }>;
  /** Asks for the key of an apply that was ended without this machine. Undefined when its states are not wanted. */
  lateKey(claim: Claim): Promise<Buffer | 'pending' | undefined>;
  /** Offers the states of such an apply, which were sent before. */
  offerLateStates(claim: Claim, files: readonly RunFile[]): Promise<'stored' | 'pending' | 'not_wanted'>;
  /** Sends a sealed piece of a journal; resolves when it is stored on the way. `turn` grows when pieces are repeated. */
  sendPiece(piece: Claim & { key: Buffer; offset: number; turn: number; content: Buffer }): Promise<void>;
  sendFile(file: string, key: Buffer, signal: AbortSignal): Promise<TransferredFile>;
  /** Fetches a file to a path at which there is none. */
  fetchFile(from: TransferredFile, to: { key: Buffer; file: string; signal: AbortSignal }): Promise<void>;
  /** Fetches a file with secrets into memory. */
  fetchBytes(from: TransferredFile, options: { key: Buffer; signal: AbortSignal }): Promise<Buffer>;
  /** Calls back when the server requests a beat. Returns the unsubscribe function. */
  onBeatRequest(callback: () => void): () => void;
};
