import { closeSync, existsSync, fdatasyncSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import { journalFile } from '../runner/contract/journal.ts';
import { encodePiece, pieceMaxBytes } from '../runner/contract/remote/piece.ts';
import type { RunFile } from '../runner/contract/remote/run-files.ts';
import { isStateCopy } from '../runner/contract/run-file-names.ts';
import type { Claim, MachineLink } from './link.ts';
import { persist } from './persist.ts';
import type { Turns } from './turns.ts';

type Deps = {
  link: Pick<MachineLink, 'sendPiece' | 'sendFile'>;
  /**
   * Turns of the Runs of this machine to send files. NATS has room for only so many, and several unfinished sets of files
   * would wait for each other.
   */
  inTurn: Turns;
  claim: Claim;
  key: Buffer;
  runDir: string;
  /** Bytes of the journal that the server has. */
  offset: number;
  /** Ends the sending, because the job is over. */
  signal: AbortSignal;
  /** Called once for a piece that cannot be sent; it is sent again until that succeeds. */
  onFault: (error: unknown) => void;
};

/** Files that the records before a position of the journal rely on. */
type Reliance = { name: string; end: number };

export type Sender = ReturnType<typeof createSender>;

/**
 * Sends the journal of a job in order, one piece at a time, each after the files that its records rely on. What was sent
 * is sent again when the server turns out not to have it: what lies between the two may lose its newest data.
 */
export function createSender({ link, inTurn, claim, key, runDir, offset: start, signal, onFault }: Deps) {
  let offset = start;
  let end = start;
  let turn = 0;
  const relied: Reliance[] = [];
  /** Files that were sent in this turn. */
  const sent = new Map<string, RunFile>();
  let wake = (): void => {};

  async function sendFile(name: string): Promise<RunFile> {
    const known = sent.get(name);
    if (known) return known;
    const file = { name, ...(await link.sendFile(path.join(runDir, name), key, signal)) };
    sent.set(name, file);
    return file;
  }

  /** Reports whether a copy of a state was deleted since, because newer ones exist. */
  const isReplaced = (name: string): boolean => isStateCopy(name) && !existsSync(path.join(runDir, name));

  async function sendNext(): Promise<void> {
    const at = offset;
    const bytes = readDurable(journalFile(runDir), at, Math.min(end - at, pieceMaxBytes));
    const names = relied.filter((one) => one.end > at && one.end <= at + bytes.length).map(({ name }) => name);
    const send = async (): Promise<void> => {
      signal.throwIfAborted();
      // A copy of a state may be replaced while other Runs send their files.
      const lasting = [...new Set(names)].filter((name) => !isReplaced(name));
      const files = await Promise.all(lasting.map(sendFile));
      await link.sendPiece({ ...claim, key, offset: at, turn, content: encodePiece({ files, bytes }) });
    };
    await (names.every(isReplaced) ? send() : inTurn(send));
    // Unless the position was set back since then.
    if (offset === at) offset = at + bytes.length;
  }

  return {
    /** Bytes that were sent. */
    get offset() {
      return offset;
    },
    /** Adds the records before a position, and the files that they name. */
    extend(to: number, names: readonly string[]): void {
      for (const name of names) relied.push({ name, end: to });
      end = Math.max(end, to);
      wake();
    },
    /** Continues from an earlier position. */
    goBack(to: number): void {
      if (to >= offset) return;
      offset = to;
      turn += 1;
      sent.clear();
      wake();
    },
    /** Sends until the signal aborts. */
    async run(): Promise<void> {
      const stop = (): void => wake();
      signal.addEventListener('abort', stop);
      while (!signal.aborted) {
        if (offset < end) await persist(sendNext, signal, onFault);
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
            if (offset < end || signal.aborted) resolve();
          });
      }
      signal.removeEventListener('abort', stop);
    },
  };
}

/**
 * Returns bytes of a file that have reached its disk: after a power cut the journal must not end before a position that
 * the server has.
 */
function readDurable(file: string, offset: number, length: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    fdatasyncSync(descriptor);
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
  } finally {
    closeSync(descriptor);
  }
}
