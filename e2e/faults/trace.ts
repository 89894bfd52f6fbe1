import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { type Kind, kinds } from './control.ts';

/** One change that a program made, in order. Paths are relative to the root. */
export type Change = {
  kind: Kind;
  pid: number;
  /** Epoch milliseconds. */
  time: number;
  path: string;
  /** Identifies a file independently of its name. */
  inode: number;
  /** Of a write; of a truncation the new length; of a creation the mode. */
  offset: number;
  /** Bytes of a write; the new name of a rename or link; the target of a symbolic link. */
  data: Buffer;
};
/** Note that a test wrote between the changes, for instance a received response. */
type Mark = { kind: 'mark'; time: number; note: unknown };
export type Entry = Change | Mark;

/** Layout of `struct record` in shim.c. */
const headBytes = 48;
const markKind = 99;

type Trace = {
  file: string;
  /** Adds a note after everything that has happened so far. */
  mark(note: unknown): void;
  read(): Entry[];
  close(): void;
};

export function createTrace(file: string): Trace {
  writeFileSync(file, '', { mode: 0o600 });
  const descriptor = openSync(file, 'a');
  return {
    file,
    mark(note) {
      const text = Buffer.from(JSON.stringify(note));
      const head = Buffer.alloc(headBytes);
      head.writeUInt32LE(headBytes + text.length, 0);
      head.writeUInt32LE(markKind, 4);
      head.writeBigUInt64LE(BigInt(Date.now()) * 1_000_000n, 32);
      head.writeUInt32LE(text.length, 40);
      writeSync(descriptor, Buffer.concat([head, text]));
    },
    read: () => parse(readFileSync(file)),
    close: () => closeSync(descriptor),
  };
}

function parse(bytes: Buffer): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const size = bytes.readUInt32LE(at);
    if (size < headBytes || at + size > bytes.length) break;
    entries.push(parseOne(bytes.subarray(at, at + size)));
    at += size;
  }
  return entries;
}

function parseOne(record: Buffer): Entry {
  const kind = record.readUInt32LE(4);
  const time = Number(record.readBigUInt64LE(32) / 1_000_000n);
  const pathEnd = headBytes + record.readUInt32LE(12);
  const data = record.subarray(pathEnd, pathEnd + record.readUInt32LE(40));
  if (kind === markKind) return { kind: 'mark', time, note: JSON.parse(data.toString('utf8')) };
  return {
    kind: kinds[kind] as Kind,
    pid: record.readUInt32LE(8),
    time,
    path: record.toString('utf8', headBytes, pathEnd),
    inode: Number(record.readBigUInt64LE(16)),
    offset: Number(record.readBigInt64LE(24)),
    data,
  };
}
