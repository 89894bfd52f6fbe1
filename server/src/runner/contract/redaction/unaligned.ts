/** Alphabets of base32 (RFC 4648, sections 6 and 7), and the lower-case spelling of the first that many programs use. */
const base32Alphabets = [
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  'abcdefghijklmnopqrstuvwxyz234567',
  '0123456789ABCDEFGHIJKLMNOPQRSTUV',
];

/**
 * Returns the characters that stay the same wherever the bytes are inside a longer base64 or base32 text: those whose
 * bits come from these bytes only, `alignment` bytes after a group begins.
 */
const certain = (encoded: string, bytes: number, alignment: number, bits: number): string =>
  encoded.slice(Math.ceil((alignment * 8) / bits), Math.floor(((alignment + bytes) * 8) / bits));

const padded = (bytes: Buffer, alignment: number): Buffer => Buffer.concat([Buffer.alloc(alignment), bytes]);

/** Returns every form of the bytes inside of base64 and base64url (RFC 4648). */
export const base64Forms = (bytes: Buffer): string[] =>
  [0, 1, 2].flatMap((alignment) => {
    const standard = certain(padded(bytes, alignment).toString('base64'), bytes.length, alignment, 6);
    return [standard, standard.replaceAll('+', '-').replaceAll('/', '_')];
  });

/** Returns every form of the bytes inside of base32 and base32hex (RFC 4648). */
export const base32Forms = (bytes: Buffer): string[] =>
  [0, 1, 2, 3, 4].flatMap((alignment) => {
    const digits = quintets(padded(bytes, alignment));
    return base32Alphabets.map((alphabet) =>
      certain(digits.map((digit) => alphabet[digit]).join(''), bytes.length, alignment, 5),
    );
  });

function quintets(bytes: Buffer): number[] {
  const digits: number[] = [];
  let held = 0;
  let count = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    count += 8;
    for (; count >= 5; count -= 5) digits.push((held >> (count - 5)) & 31);
  }
  return digits;
}

/** Returns UTF-16 bytes in both orders, in base64 as PowerShell accepts commands, and as it appears in a log that shows zeros. */
export function utf16Forms(text: string): Buffer[] {
  const little = Buffer.from(text, 'utf16le');
  const units = text.split('');
  return [
    little,
    Buffer.from(little).swap16(),
    ...base64Forms(little).map((form) => Buffer.from(form)),
    ...['\0', '\\u0000', '\\x00', '\\0'].map((zero) => Buffer.from(units.join(zero))),
  ];
}
