import { randomBytes } from 'node:crypto';
import { constants, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

export type Output = {
  /**
   * Resolves when everything written so far has been delivered. Used after the writer has ended: a process it left may
   * hold the FIFO open, so there may be no end of file.
   */
  drain(): Promise<void>;
  close(): void;
};

/**
 * Reads a FIFO that a tool writes to. It is open for reading and writing, so that it never ends while it is read and
 * nothing is lost between two writers.
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

/** Opens the end of a FIFO that a child gets as stdout or stderr. */
export function openForChild(file: string, outlives: boolean): number {
  // A child that outlives this process must stall without a reader, and a read-write descriptor never raises SIGPIPE. A
  // child that must not outlive this process ends by SIGPIPE.
  return openSync(file, outlives ? constants.O_RDWR : constants.O_WRONLY);
}

/** Writes the marker. Few bytes are written whole or not at all (pipe(7)), so a full FIFO only needs another try after a read. */
function writeMarker(descriptor: number, marker: Buffer, socket: Socket): void {
  try {
    writeSync(descriptor, marker);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    socket.once('data', () => setImmediate(() => writeMarker(descriptor, marker, socket)));
  }
}

type MarkerSearch = { marker: Buffer; take(chunk: Buffer): void };

/** Delivers the bytes before an unguessable marker, then reports that it was found. */
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
