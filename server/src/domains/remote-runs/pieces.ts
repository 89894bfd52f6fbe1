import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { openBox } from '#server/drivers/nats/index';
import { makeFolder, syncFolder } from '#server/kernel/disk';
import { digestOfFile } from '#server/kernel/file-digest';
import { faultFields } from '#server/kernel/log';
import { decodePiece, isStateCopy, type Piece, type RunFile } from '#server/runner/index';
import { limits } from '#shared/limits';
import type { HeldJob, HeldJobs } from './held-jobs.ts';
import type { PoolsLink } from './link.ts';
import type { Mirror } from './mirror.ts';
import { createPieceQueue, type SealedPiece, type WaitingMaxBytes } from './piece-queue.ts';
import type { RefusalNotes } from './refusal-notes.ts';

/**
 * End of a piece. `again`: it is here already. `gap`: an earlier one is missing. `stale`: its ticket is void, or its job
 * is over. `forged`: it was not sealed by its machine. All but `taken` are dropped: the machine notices, and sends what is
 * missing again.
 */
export type PieceEnd = 'taken' | 'again' | 'gap' | 'stale' | 'forged';

type Deps = {
  refusals: RefusalNotes;
  jobs: HeldJobs;
  link: Pick<PoolsLink, 'fetchFile' | 'deleteFile'>;
  /** Reports whether the job of a machine is not over. What a person has reviewed must not change. */
  isOpen: (held: HeldJob) => boolean;
  stopping: AbortSignal;
  mirrorMaxBytes?: number;
  waitingMaxBytes?: WaitingMaxBytes;
};

/**
 * Largest journal of a job, in bytes. A supervisor limits the text of its log, and counts at least 64 bytes for a record,
 * whose members take about a hundred more.
 */
const journalMaxBytes = 6 * limits.logBytes;
/** Most bytes of the journal and all files of a job. */
const usualMirrorMaxBytes = 4_294_967_296;
/** Copies of the newest states that stay. */
const storedStates = 4;
/** Takes pieces of journals into the mirrors: those of one job one after the other, those of several concurrently. */
export function createPieceIntake(deps: Deps) {
  const { refusals, jobs, link, isOpen, stopping, mirrorMaxBytes = usualMirrorMaxBytes, waitingMaxBytes } = deps;

  async function take(piece: SealedPiece): Promise<PieceEnd> {
    const held = jobs.findClaimed(piece.machineId, piece);
    if (!held?.mirror.exists() || !isOpen(held)) return 'stale';
    jobs.noteSign(held);
    const length = held.mirror.length();
    if (piece.offset > length) return 'gap';
    const content = open(piece, held);
    if (!content) return 'forged';
    if (piece.offset < length) {
      for (const file of content.files) await discard(file, held);
      return 'again';
    }
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
    await fetchAll(files, held, isCurrent);
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

  /** One after the other, because the parts of each that have arrived early are in memory. */
  async function fetchAll(files: readonly RunFile[], held: HeldJob, isCurrent: () => boolean): Promise<void> {
    held.isFetching = files.length > 0;
    try {
      for (const file of files) await fetch(file, held, isCurrent);
    } finally {
      held.isFetching = false;
    }
  }

  /** Deletes a file that was sent again although it is here. What cannot be deleted now is deleted after a day. */
  const discard = ({ name: _name, ...from }: RunFile, { row: { machineId }, key }: HeldJob): Promise<void> =>
    link.deleteFile(from, { machineId, key, direction: 'out' }).catch(() => {});

  /** Fetches a file beside its name, which a later attempt of the job may use already. */
  async function fetch(named: RunFile, held: HeldJob, isCurrent: () => boolean): Promise<void> {
    const { name, ...from } = named;
    const { mirror, row, key } = held;
    const file = path.join(mirror.dir, name);
    if (existsSync(file) && (await digestOfFile(file)) === from.digest) return discard(named, held);
    makeFolder(path.dirname(file));
    const arriving = `${file}.${row.ticket}`;
    rmSync(arriving, { force: true });
    await link.fetchFile(from, { machineId: row.machineId, key, file: arriving, signal: stopping });
    if (!isCurrent()) return rmSync(arriving, { force: true });
    renameSync(arriving, file);
    syncFolder(path.dirname(file));
  }

  const note = ({ machineId, jobId }: SealedPiece, message: string, fault?: object): void =>
    refusals.note(machineId, message, { jobId, ...fault });

  async function takeSafely(piece: SealedPiece): Promise<void> {
    try {
      const end = await take(piece);
      if (end === 'forged') note(piece, 'a piece of a journal was refused');
    } catch (error) {
      note(piece, 'a piece of a journal could not be taken', faultFields(error));
    }
  }

  return createPieceQueue({ take: takeSafely, stopping, ...(waitingMaxBytes && { waitingMaxBytes }) });
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
