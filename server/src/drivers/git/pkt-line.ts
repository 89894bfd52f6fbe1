import { GitError } from './git-error.ts';

/*
 * The pkt-line framing of Git's protocols (gitprotocol-common): four hex digits that count themselves and the payload.
 * The lengths 0, 1 and 2 are the flush, delimiter and response-end packets.
 */

type Packet = { kind: 'flush' | 'delimiter' | 'end' } | { kind: 'data'; bytes: Buffer };

export const flushPacket = '0000';
export const delimiterPacket = '0001';
const headBytes = 4;

/** Returns one line as a packet. */
export const packet = (line: string): string =>
  `${(Buffer.byteLength(line) + headBytes + 1).toString(16).padStart(4, '0')}${line}\n`;

/**
 * Passes each packet of a body to `onPacket`, in order, without copying payloads that arrived in one piece. Throws
 * `source_not_git` for bytes that are not packets.
 */
export async function readPackets(
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
  onPacket: (packet: Packet) => void,
): Promise<void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    rest = takePackets(rest.length === 0 ? chunk : Buffer.concat([rest, chunk]), onPacket);
  }
  if (rest.length > 0)
    throw new GitError('source_unreachable', 'The Git server ended its answer too early. Try again.');
}

/** Consumes whole packets and returns the remaining bytes. */
function takePackets(bytes: Buffer, onPacket: (packet: Packet) => void): Buffer<ArrayBuffer> {
  let at = 0;
  while (bytes.length - at >= headBytes) {
    const length = packetLength(bytes, at);
    if (length < headBytes) {
      onPacket({ kind: controlKinds[length] as 'flush' });
      at += headBytes;
      continue;
    }
    if (bytes.length - at < length) break;
    onPacket({ kind: 'data', bytes: bytes.subarray(at + headBytes, at + length) });
    at += length;
  }
  return bytes.subarray(at) as Buffer<ArrayBuffer>;
}

const controlKinds = ['flush', 'delimiter', 'end'] as const;

function packetLength(bytes: Buffer, at: number): number {
  const digits = bytes.toString('latin1', at, at + headBytes);
  const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : headBytes - 1;
  if (length === headBytes - 1) throw new GitError('source_not_git', 'The server does not answer in the Git protocol.');
  return length;
}

/** Returns the text of a packet without its line end. */
export const packetText = (bytes: Buffer): string => bytes.toString('utf8').replace(/\n$/, '');
