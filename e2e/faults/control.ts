import { closeSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';

/** Effect of a call; its number is its bit in the control file and its kind in the trace. */
export const kinds = [
  'write',
  'truncate',
  'create',
  'rename',
  'link',
  'unlink',
  'mkdir',
  'rmdir',
  'symlink',
  'fsync',
  'fsyncFolder',
  'chmod',
] as const;
export type Kind = (typeof kinds)[number];

/**
 * Calls that fail, and the way they fail. Matching calls are counted over all processes from the moment the rule is
 * set.
 */
export type Rule = {
  kinds: readonly Kind[];
  /** A part of the path below the root; '' for any. */
  include?: string;
  exclude?: string;
  /** From 1: the first call that fails. */
  first?: number;
  /** Number of calls that fail from there on; default all. */
  times?: number;
  error: 'EIO' | 'ENOSPC' | 'EDQUOT' | 'EROFS';
  /** Writes store half of their bytes instead of failing. */
  isShort?: boolean;
  /** Free space that programs see. */
  freeBytes?: number;
};

export type Control = {
  file: string;
  /** Replaces the active rule, and restarts its count. */
  set(rule: Rule): void;
  /** Lets every call pass again. Returns how often the rule matched, how often it struck, and where first. */
  clear(): Struck;
  read(): Struck;
  close(): void;
};
type Struck = { fitting: number; struck: number; where: string };

/** Layout of `struct control` in shim.c. */
const at = {
  armed: 0,
  kinds: 4,
  first: 8,
  last: 16,
  count: 24,
  hits: 32,
  error: 40,
  isShort: 44,
  freeBytes: 48,
  include: 56,
  exclude: 184,
  hit: 312,
  end: 568,
};
const textBytes = 127;
const ever = 2n ** 62n;

/** Creates the control file by which a test sets the rule of the shim in every process that loads it. */
export function createControl(file: string): Control {
  const descriptor = openSync(file, 'w+', 0o600);
  ftruncateSync(descriptor, at.end);
  const arm = (armed: number) => writeSync(descriptor, Uint32Array.of(armed), 0, 4, at.armed);
  const read = (): Struck => {
    const bytes = Buffer.alloc(at.end);
    readSync(descriptor, bytes, 0, at.end, 0);
    const hit = bytes.toString('utf8', at.hit, bytes.indexOf(0, at.hit));
    const [kind = '', ...path] = hit.split(' ');
    const where = hit === '' ? '' : `${kinds[Number(kind)]} ${path.join(' ')}`;
    return { fitting: Number(bytes.readBigInt64LE(at.count)), struck: Number(bytes.readBigInt64LE(at.hits)), where };
  };
  return {
    file,
    set(rule) {
      arm(0);
      const bytes = Buffer.alloc(at.end);
      const first = BigInt(rule.first ?? 1);
      bytes.writeUInt32LE(
        rule.kinds.reduce((mask, kind) => mask | (1 << kinds.indexOf(kind)), 0),
        at.kinds,
      );
      bytes.writeBigInt64LE(first, at.first);
      bytes.writeBigInt64LE(rule.times === undefined ? ever : first + BigInt(rule.times) - 1n, at.last);
      bytes.writeInt32LE(constants.errno[rule.error as 'EIO'], at.error);
      bytes.writeUInt32LE(rule.isShort === true ? 1 : 0, at.isShort);
      bytes.writeBigInt64LE(BigInt(rule.freeBytes ?? -1), at.freeBytes);
      bytes.write((rule.include ?? '').slice(0, textBytes), at.include);
      bytes.write((rule.exclude ?? '').slice(0, textBytes), at.exclude);
      writeSync(descriptor, bytes, 4, at.end - 4, 4);
      arm(1);
    },
    clear() {
      arm(0);
      return read();
    },
    read,
    close: () => closeSync(descriptor),
  };
}
