/** A sealed part of the journal of a machine's job. */
export type SealedPiece = { machineId: string; jobId: string; ticket: string; offset: number; sealed: Uint8Array };

/** Bytes of pieces that may wait at the same time, of one machine and of all. */
export type WaitingMaxBytes = { machine: number; all: number };

/** Pieces of one job that wait; further ones are dropped, and sent again. */
const waitingMax = 64;
/** Four busy machines; further pieces are dropped, and sent again. */
const usualWaitingMaxBytes = { machine: 67_108_864, all: 268_435_456 };

type Deps = { take: (piece: SealedPiece) => Promise<void>; stopping: AbortSignal; waitingMaxBytes?: WaitingMaxBytes };

/** Takes the pieces of each job one after the other. `take` never rejects. */
export function createPieceQueue({ take, stopping, waitingMaxBytes = usualWaitingMaxBytes }: Deps) {
  const tails = new Map<string, { last: Promise<void>; waiting: number }>();
  const waitingBytes = createWaitingBytes(waitingMaxBytes);

  return {
    /** Takes a piece after the earlier ones of its job. Returns at once. */
    add(piece: SealedPiece): void {
      // Another machine must not delay the pieces of a job by naming it.
      const key = `${piece.machineId} ${piece.jobId}`;
      const tail = tails.get(key) ?? { last: Promise.resolve(), waiting: 0 };
      if (tail.waiting >= waitingMax || stopping.aborted || !waitingBytes.add(piece)) return;
      tail.waiting += 1;
      tail.last = tail.last
        .then(() => take(piece))
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
