import { commitLimits } from '#shared/limits';
import type { SnapshotCommit } from '#shared/sources/contract';
import { visibleText } from '#shared/visible-text';

/** Bytes of a message that are read: escapes only lengthen it, and the rest would be cut. */
const readBytes = 2 * commitLimits.messageBytes;
/** Last second that a timestamp with a year of four digits can name. */
const lastSecond = 253_402_300_799;

/**
 * Reads author, times and message of a commit object, as the commit says them: nothing proves that they are true. Never
 * throws, because Git stores commits that no tool of its own would write. E-mail addresses are left out, and characters
 * that cannot be seen are shown as their codes.
 */
export function parseCommit(bytes: Buffer): SnapshotCommit {
  const blank = bytes.indexOf('\n\n');
  const header = readHeader(bytes.subarray(0, blank < 0 ? bytes.length : blank));
  const body = bytes.subarray(blank < 0 ? bytes.length : blank + 2);
  const author = personOf(header.author ?? '');
  const { text, isCut } = messageOf(body, header.encoding);
  return {
    subject: subjectOf(text),
    message: text,
    ...(isCut && { messageCut: true }),
    authorName: nameOf(decode(Buffer.from(author.name, 'latin1'), header.encoding)),
    authoredAt: author.at,
    committedAt: personOf(header.committer ?? '').at,
  };
}

type Header = { author?: string; committer?: string; encoding?: string };

/**
 * Returns the first line of each header, byte by byte. A signature or a merged tag continues over lines that begin with
 * a space, so that none of them can pass for another header.
 */
function readHeader(bytes: Buffer): Header {
  const header: Header = {};
  for (const line of bytes.toString('latin1').split('\n')) {
    for (const name of ['author', 'committer', 'encoding'] as const)
      if (line.startsWith(`${name} `)) header[name] ??= line.slice(name.length + 1);
  }
  return header;
}

/** Splits `Name <mail> seconds zone`. A time that Git cannot read is the beginning of 1970, as Git shows it. */
function personOf(line: string): { name: string; at: string } {
  const mail = line.indexOf('<');
  const seconds = Number(/^ *(\d{1,12})(?: |$)/.exec(line.slice(line.lastIndexOf('>') + 1))?.[1] ?? 0);
  return {
    name: mail < 0 ? '' : line.slice(0, mail),
    at: new Date(seconds > lastSecond ? 0 : seconds * 1_000).toISOString(),
  };
}

const latin1 = /^(?:iso[-_]?8859[-_]?1|latin[-_]?1)$/i;

/** Decodes text in the encoding that a commit names. Bytes that do not fit it become U+FFFD. */
function decode(bytes: Buffer, encoding = 'utf-8'): string {
  if (latin1.test(encoding)) return bytes.toString('latin1');
  return decoderOf(encoding).decode(bytes, { stream: true });
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { ignoreBOM: true });
  } catch {
    return new TextDecoder('utf-8', { ignoreBOM: true });
  }
}

function messageOf(body: Buffer, encoding: string | undefined): { text: string; isCut: boolean } {
  const whole = decode(body.subarray(0, readBytes), encoding)
    .replaceAll('\r\n', '\n')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd();
  const text = withoutAddresses(visibleText(whole));
  const cut = cutBytes(text, commitLimits.messageBytes);
  const isCut = body.length > readBytes || cut.length < text.length;
  return { text: isCut ? withoutTornEnd(cut) : cut, isCut };
}

/** Returns the characters that fit into a number of bytes. */
function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= most ? text : new TextDecoder().decode(bytes.subarray(0, most), { stream: true });
}

/** Removes the beginning of an escape or of an address that the cut divided. */
const withoutTornEnd = (text: string): string =>
  text.replace(/\\(?:u(?:\{[0-9a-f]{0,6})?)?$/, '').replace(/@[^\s@]{0,254}$/, '@…');

const enclosedAddress = / ?<[^<>\s]{1,254}@[^<>\s]{1,254}>/g;
const bareAddress = /([^\s<>@]{1,64}@)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}/gu;

/** Leaves out the addresses of a text: `Jane <jane@host>` becomes `Jane`, and of `jane@host.org` the host is left out. */
const withoutAddresses = (text: string): string => text.replace(enclosedAddress, '').replace(bareAddress, '$1…');

/** Returns the name of a person on one line; of a name that is an address only what is before the `@`. */
function nameOf(text: string): string {
  const [name = ''] = visibleText(text.slice(0, commitLimits.nameLength).trim()).split('@');
  return name.replaceAll('\n', ' ').trim();
}

/** Returns the first paragraph of a message as one line, as `git log --format=%s` does. */
function subjectOf(message: string): string {
  const lines = message.split('\n').map((line) => line.trimEnd());
  const end = lines.indexOf('');
  const subject = lines.slice(0, end < 0 ? undefined : end).join(' ');
  const cut = subject.slice(0, commitLimits.subjectLength).replace(/[\ud800-\udbff]$/, '');
  return cut.length < subject.length ? `${cut}…` : subject;
}
