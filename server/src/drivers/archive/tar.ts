import { ArchiveError } from './archive-error.ts';

/*
 * Tar format of an archive, POSIX.1-2017 `pax` with ustar headers. Implemented here instead of by a library because the
 * bytes are an identity: the same files must give the same digest with every version of every dependency.
 */

export const blockBytes = 512;
const nameBytes = 100;
const regularFile = 0x30;
const paxRecords = 0x78;
const modeAt = 100;
const sizeAt = 124;
const sizeBytes = 12;
/** The largest size in octal digits. A larger one is written in base 256, as GNU tar and others read it. */
const mostOctal = 0o77777777777;
/** First byte of a field in base 256. */
const base256Mark = 0x80;
const checksumAt = 148;
const typeAt = 156;

/** A tar ends with two blocks of zeros. */
export const endOfTar = Buffer.alloc(2 * blockBytes);

export type TarHeader = { path: string; executable: boolean; size: number };

/** Returns the number of zero bytes that follow a body of this size. */
export const paddingAfter = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes;

/** Returns the header blocks of one regular file: a pax record comes first when ustar cannot hold the path. */
export function encodeHeader(header: TarHeader): Buffer {
  const path = Buffer.from(header.path, 'utf8');
  const fits = path.length <= nameBytes && path.length === header.path.length;
  const file = encodeBlock({ ...header, name: fits ? path : asciiName(path), type: regularFile });
  if (fits) return file;
  const records = paxPathRecord(path);
  const pax = { name: Buffer.from('PaxHeader'), size: records.length, executable: false, type: paxRecords };
  return Buffer.concat([encodeBlock(pax), records, Buffer.alloc(paddingAfter(records.length)), file]);
}

/** Returns the path that a reader without pax support sees: the head of the path, with bytes beyond ASCII replaced. */
const asciiName = (path: Buffer): Buffer =>
  path.subarray(0, nameBytes).map((byte) => (byte < 0x80 ? byte : 0x5f)) as Buffer;

type Block = { name: Uint8Array; executable: boolean; size: number; type: number };

/** Fields that all headers share: owner 0, time 0, the ustar magic, no device, and a checksum field of spaces. */
const template = Buffer.alloc(blockBytes);
template.write('0000644\0', modeAt, 'latin1');
template.write('0000000\x000000000\0', 108, 'latin1');
template.write('00000000000\x0000000000000\0', sizeAt, 'latin1');
template.write('        ', checksumAt, 'latin1');
template.write('ustar\x0000', 257, 'latin1');
template.write('0000000\x000000000\0', 329, 'latin1');

function encodeBlock({ name, executable, size, type }: Block): Buffer {
  const block = Buffer.from(template);
  block.set(name, 0);
  if (executable) block.write('755', modeAt + 4, 'latin1');
  writeSize(block, size);
  block[typeAt] = type;
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0`, checksumAt, 'latin1');
  return block;
}

function writeSize(block: Buffer, size: number): void {
  if (size <= mostOctal) {
    block.write(size.toString(8).padStart(sizeBytes - 1, '0'), sizeAt, 'latin1');
    return;
  }
  block[sizeAt] = base256Mark;
  block.writeUIntBE(0, sizeAt + 1, 3);
  block.writeBigUInt64BE(BigInt(size), sizeAt + 4);
}

/** Reads a size in the form that `writeSize` chooses for it. */
function readSize(block: Buffer): number {
  if (block[sizeAt] !== base256Mark) return octal(block, sizeAt, sizeBytes - 1);
  const size = Number(block.readBigUInt64BE(sizeAt + 4));
  if (block.readUIntBE(sizeAt + 1, 3) !== 0 || size <= mostOctal || !Number.isSafeInteger(size)) throw corrupt();
  return size;
}

/** Returns the sum of all bytes, with the checksum field read as spaces. */
function checksum(block: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < checksumAt; index += 1) sum += block[index] ?? 0;
  sum += 8 * 0x20;
  for (let index = checksumAt + 8; index < blockBytes; index += 1) sum += block[index] ?? 0;
  return sum;
}

/** Returns `<length> path=<path>\n`, where the length counts its own digits. */
function paxPathRecord(path: Buffer): Buffer {
  const rest = path.length + ' path=\n'.length;
  let length = rest + String(rest).length;
  if (rest + String(length).length !== length) length = rest + String(length).length;
  return Buffer.concat([Buffer.from(`${length} path=`), path, Buffer.from('\n')]);
}

type TarBlock = { kind: 'end' } | { kind: 'pax'; size: number } | ({ kind: 'file' } & TarHeader);

const corrupt = () => new ArchiveError('archive_corrupt', 'The archive is damaged. Sync the source again.');

/** Reads one header block. Throws `archive_corrupt` for anything `encodeHeader` does not write. */
export function decodeBlock(block: Buffer): TarBlock {
  if (block.length !== blockBytes) throw corrupt();
  if (block.equals(endOfTar.subarray(0, blockBytes))) return { kind: 'end' };
  if (octal(block, checksumAt, 6) !== checksum(block)) throw corrupt();
  const size = readSize(block);
  if (block[typeAt] === paxRecords) return { kind: 'pax', size };
  if (block[typeAt] !== regularFile) throw corrupt();
  const end = block.indexOf(0);
  const path = block.toString('utf8', 0, end < 0 || end > nameBytes ? nameBytes : end);
  return { kind: 'file', path, executable: octal(block, modeAt, 7) === 0o755, size };
}

/** Returns the path inside a pax record block. */
export function decodePaxPath(records: Buffer): string {
  const at = records.indexOf(' path=');
  const length = Number(records.toString('latin1', 0, Math.max(at, 0)));
  if (at < 0 || length !== records.length || records.at(-1) !== 0x0a) throw corrupt();
  return records.toString('utf8', at + ' path='.length, length - 1);
}

function octal(block: Buffer, offset: number, digits: number): number {
  const text = block.toString('latin1', offset, offset + digits);
  if (!/^[0-7]+$/.test(text)) throw corrupt();
  return Number.parseInt(text, 8);
}
