import { randomBytes } from 'node:crypto';
import { constants, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

export type Output = {
  /**
   * Everything written so far has been handed on. For use when the writer has ended: a process it left behind may hold
   * the FIFO open, so there is no end of file to wait for.
   */
  drain(): Promise<void>;
  close(): void;
};

/**
 * Reads a FIFO that a tool writes to. We hold it open for reading and writing, so that it never ends while we read and
 * nothing is lost between one writer and the next.
 */
export function openOutput(file: string, onChunk: (chunk: Buffer) => void): Output {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
  const socket = new Socket({ fd: descriptor, readable: true, writable: false });
  let search: MarkerSearch | undefined;
  socket.on('data', (chunk: Buffer) => {
    if (search === undefined) onChunk(chunk);
    else search.take(chunk);
  });
  socket.on('error', () => {});
  return {
    drain: () =>
      new Promise((resolve) => {
        search = createMarkerSearch(onChunk, resolve);
        writeMarker(descriptor, search.marker, socket);
      }),
    close: () => socket.destroy(),
  };
}

/** The end of a FIFO that a child gets as stdout or stderr. */
export function openForChild(file: string, outlives: boolean): number {
  // A child that outlives us must stall when nobody reads, and read-write is what never raises SIGPIPE; one that must
  // not outlive us ends by it.
  return openSync(file, outlives ? constants.O_RDWR : constants.O_WRONLY);
}

/** Few bytes are written whole or not at all (pipe(7)), so a full FIFO only means trying again after reading. */
function writeMarker(descriptor: number, marker: Buffer, socket: Socket): void {
  try {
    writeSync(descriptor, marker);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    socket.once('data', () => setImmediate(() => writeMarker(descriptor, marker, socket)));
  }
}

type MarkerSearch = { marker: Buffer; take(chunk: Buffer): void };

/** Hands on what stands before a marker nobody can guess, then reports that it was found. */
function createMarkerSearch(onChunk: (chunk: Buffer) => void, onMatch: () => void): MarkerSearch {
  const marker = Buffer.from(randomBytes(24).toString('hex'));
  let tail = Buffer.alloc(0);
  let isMatched = false;
  return {
    marker,
    take(chunk) {
      if (isMatched) return;
      const bytes = Buffer.concat([tail, chunk]);
      const at = bytes.indexOf(marker);
      isMatched = at >= 0;
      const sure = isMatched ? at : Math.max(0, bytes.length - marker.length + 1);
      if (sure > 0) onChunk(bytes.subarray(0, sure));
      tail = bytes.subarray(sure);
      if (isMatched) onMatch();
    },
  };
}
