import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openBox } from '#server/drivers/nats/index';
import { makeFolder, syncFolder } from '#server/kernel/disk';
import { digestOfFile } from '#server/kernel/file-digest';
import { faultFields, type Log } from '#server/kernel/log';
import { decodePiece, isStateCopy, type Piece, type RunFile } from '#server/runner/index';
import { limits } from '#shared/limits';
import type { HeldJob, HeldJobs } from './held-jobs.ts';
import type { PoolsLink } from './link.ts';
import type { Mirror } from './mirror.ts';

/** A sealed part of the journal of a machine's job. */
export type SealedPiece = { machineId: string; jobId: string; ticket: string; offset: number; sealed: Uint8Array };

/**
 * End of a piece. `again`: it is here already. `gap`: an earlier one is missing. `stale`: its ticket is void, or its job
 * is over. `forged`: it was not sealed by its machine. All but `taken` are dropped: the machine notices, and sends what is
 * missing again.
 */
export type PieceEnd = 'taken' | 'again' | 'gap' | 'stale' | 'forged';

type Deps = {
  log: Log;
  jobs: HeldJobs;
  link: Pick<PoolsLink, 'fetchFile'>;
  /** Reports whether the job of a machine is not over. What a person has reviewed must not change. */
  isOpen: (held: HeldJob) => boolean;
  stopping: AbortSignal;
  mirrorMaxBytes?: number;
  waitingMaxBytes?: WaitingMaxBytes;
};

/** Bytes of pieces that may wait at the same time, of one machine and of all. */
type WaitingMaxBytes = { machine: number; all: number };

/**
 * Largest journal of a job, in bytes. A supervisor limits the text of its log, and counts at least 64 bytes for a record,
 * whose members take about a hundred more.
 */
const journalMaxBytes = 6 * limits.logBytes;
/** Most bytes of the journal and all files of a job. */
const usualMirrorMaxBytes = 4_294_967_296;
/** Copies of the newest states that stay. */
const storedStates = 4;
/** Pieces of one job that wait; further ones are dropped, and sent again. */
const waitingMax = 64;
/** Four busy machines; further pieces are dropped, and sent again. */
const usualWaitingMaxBytes = { machine: 67_108_864, all: 268_435_456 };

/** Takes pieces of journals into the mirrors: those of one job one after the other, those of several concurrently. */
export function createPieceIntake(deps: Deps) {
  const { log, jobs, link, isOpen, stopping, mirrorMaxBytes = usualMirrorMaxBytes } = deps;
  const waitingBytes = createWaitingBytes(deps.waitingMaxBytes ?? usualWaitingMaxBytes);
  const tails = new Map<string, { last: Promise<void>; waiting: number }>();

  async function take(piece: SealedPiece): Promise<PieceEnd> {
    const held = jobs.findClaimed(piece.machineId, piece);
    if (!held?.mirror.exists() || !isOpen(held)) return 'stale';
    jobs.noteSign(held);
    const length = held.mirror.length();
    if (piece.offset !== length) return piece.offset < length ? 'again' : 'gap';
    const content = open(piece, held);
    if (!content) return 'forged';
    // An honest supervisor writes far less, so nothing of this machine is awaited any more.
    if (!fitsMirror(content, held.mirror)) {
      jobs.lose(held);
      return 'stale';
    }
    return append(content, held, piece);
  }

  async function append({ files, bytes }: Piece, held: HeldJob, piece: SealedPiece): Promise<PieceEnd> {
    // The job may be given to another machine while a file is on its way.
    const isCurrent = (): boolean =>
      jobs.findClaimed(piece.machineId, piece) === held && isOpen(held) && held.mirror.length() === piece.offset;
    // One after the other, because the parts of each that have arrived early are in memory.
    for (const file of files) await fetch(file, held, isCurrent);
    if (!isCurrent()) return 'stale';
    held.mirror.append(bytes);
    deleteOlderStates(held.mirror.dir, files);
    return 'taken';
  }

  function fitsMirror({ bytes, files }: Piece, mirror: Mirror): boolean {
    if (mirror.length() + bytes.length > journalMaxBytes) return false;
    const added = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    return files.length === 0 || mirror.totalBytes() + added <= mirrorMaxBytes;
  }

  /** Fetches a file beside its name, which a later attempt of the job may use already. */
  async function fetch(
    { name, ...from }: RunFile,
    { mirror, row, key }: HeldJob,
    isCurrent: () => boolean,
  ): Promise<void> {
    const file = path.join(mirror.dir, name);
    if (existsSync(file) && (await digestOfFile(file)) === from.digest) return;
    makeFolder(path.dirname(file));
    const arriving = `${file}.${row.ticket}`;
    rmSync(arriving, { force: true });
    await link.fetchFile(from, { machineId: row.machineId, key, file: arriving, signal: stopping });
    if (!isCurrent()) return rmSync(arriving, { force: true });
    renameSync(arriving, file);
    syncFolder(path.dirname(file));
  }

  async function takeSafely(piece: SealedPiece): Promise<void> {
    try {
      const end = await take(piece);
      if (end === 'forged')
        log.warn({ jobId: piece.jobId, machineId: piece.machineId }, 'a piece of a journal was refused');
    } catch (error) {
      log.warn({ jobId: piece.jobId, ...faultFields(error) }, 'a piece of a journal could not be taken');
    }
  }

  return {
    /** Takes a piece after the earlier ones of its job. Returns at once. */
    add(piece: SealedPiece): void {
      // Another machine must not delay the pieces of a job by naming it.
      const key = `${piece.machineId} ${piece.jobId}`;
      const tail = tails.get(key) ?? { last: Promise.resolve(), waiting: 0 };
      if (tail.waiting >= waitingMax || stopping.aborted || !waitingBytes.add(piece)) return;
      tail.waiting += 1;
      tail.last = tail.last
        .then(() => takeSafely(piece))
        .then(() => {
          waitingBytes.remove(piece);
          tail.waiting -= 1;
          if (tail.waiting === 0) tails.delete(key);
        });
      tails.set(key, tail);
    },
    /** Resolves when no piece waits. */
    async settle(): Promise<void> {
      while (tails.size > 0) await Promise.all([...tails.values()].map(({ last }) => last));
    },
  };
}

/** Counts the bytes of pieces that wait, so that machines which send faster than this server takes do not fill its memory. */
function createWaitingBytes(max: WaitingMaxBytes) {
  const ofMachines = new Map<string, number>();
  let all = 0;
  const change = (machineId: string, bytes: number): void => {
    all += bytes;
    const rest = (ofMachines.get(machineId) ?? 0) + bytes;
    if (rest === 0) ofMachines.delete(machineId);
    else ofMachines.set(machineId, rest);
  };
  return {
    /** Returns false for a piece that may not wait. */
    add({ machineId, sealed: { length } }: SealedPiece): boolean {
      if (all + length > max.all || (ofMachines.get(machineId) ?? 0) + length > max.machine) return false;
      change(machineId, length);
      return true;
    },
    remove: ({ machineId, sealed }: SealedPiece): void => change(machineId, -sealed.length),
  };
}

/** Deletes copies of states that newer ones have replaced; the supervisor keeps even fewer. */
function deleteOlderStates(dir: string, taken: readonly RunFile[]): void {
  if (!taken.some(({ name }) => isStateCopy(name))) return;
  const copies = readdirSync(dir)
    .filter(isStateCopy)
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  for (const name of copies.slice(0, -storedStates))
    if (taken.every((file) => file.name !== name)) rmSync(path.join(dir, name), { force: true });
}

function open({ jobId, ticket, offset, sealed }: SealedPiece, { key }: HeldJob): Piece | undefined {
  try {
    return decodePiece(openBox(key, { kind: 'piece', jobId, ticket, offset }, sealed));
  } catch {
    return undefined;
  }
}
