import { randomBytes, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { createRedactor, redactedMark } from './redactor.ts';

const inPieces = (secrets: readonly string[], pieces: readonly string[]): string[] => {
  const redactor = createRedactor(secrets).pieces();
  return [...pieces.flatMap((piece) => redactor.push(piece)), ...redactor.end()];
};
const secret = 'correct-horse-battery-staple';

test('a secret that a program prints with pauses is found across its pieces', () => {
  expect(inPieces([secret], ['key: correct-ho', 'rse-battery-', 'staple.'])).toEqual([
    `key: ${redactedMark}`,
    redactedMark,
    `${redactedMark}.`,
  ]);
});

test('white space that the tool cuts off, or a program puts in, hides no secret', () => {
  const spaced = 'pass phrase with spaces';
  expect(inPieces([spaced], ['it is pass', 'phrase', ' with', 'spaces'])).toEqual([
    `it is ${redactedMark}`,
    redactedMark,
    ` ${redactedMark}`,
    redactedMark,
  ]);
  const dump =
    Buffer.from(`x${secret}y`)
      .toString('hex')
      .replace(/../g, '$& ')
      .match(/.{1,48}/g) ?? [];
  const clean = inPieces([secret], dump).join(' ');
  expect(clean.replaceAll(redactedMark, '').trim().split(/\s+/)).toEqual(['78', '79']);
});

test('pieces are returned one for one and in order', () => {
  for (let round = 0; round < 2_000; round += 1) {
    const parts = ['a ', 'correct-', 'horse', 'staple', '', 'c', 'corr', 'x'.repeat(randomInt(9))];
    const pieces = Array.from({ length: randomInt(12) }, () => parts[randomInt(parts.length)] as string);
    const out = inPieces([secret], pieces);
    expect(out).toHaveLength(pieces.length);
    for (const [index, piece] of pieces.entries()) if (!piece.includes('c')) expect(out[index]).toBe(piece);
  }
});

test('a harmless piece is returned at once, one that may hold a secret waits until this is decided', () => {
  const redactor = createRedactor([secret]).pieces();
  expect(redactor.push('a line that ends in c')).toEqual(['a line that ends in c']);
  expect(redactor.push('orrect-horse-battery-staple')).toEqual([redactedMark]);
  expect(redactor.push('maybe correct-h')).toEqual([]);
  expect(redactor.push('at')).toEqual(['maybe correct-h', 'at']);
  expect(redactor.push('corre')).toEqual([]);
  expect(redactor.end()).toEqual(['corre']);
});

test('base64 wrapped at any column is found, at every alignment, however its lines are split into pieces', () => {
  for (let round = 0; round < 300; round += 1) {
    const long = randomBytes(20 + randomInt(200)).toString('base64url');
    const document = Buffer.from(`${'p'.repeat(randomInt(90))}${long}${'s'.repeat(randomInt(90))}`).toString('base64');
    const columns = 20 + randomInt(60);
    const lines = document.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [];
    const clean = inPieces([long], lines).join('').replaceAll(redactedMark, ' ');
    const left = clean.split(' ').map((run) => Buffer.from(run, 'base64').toString('latin1'));
    for (const run of left)
      for (let at = 0; at + 12 <= long.length; at += 1)
        if (run.includes(long.slice(at, at + 12))) expect.fail(`${long.slice(at, at + 12)} is still there`);
  }
});

test('a whole secret in base64 with the line breaks of openssl or base64 is found in one text', () => {
  const file = randomBytes(300).toString('hex');
  for (const columns of [64, 76]) {
    const wrapped = (
      Buffer.from(file)
        .toString('base64')
        .match(new RegExp(`.{1,${columns}}`, 'g')) ?? []
    ).join('\n');
    const clean = createRedactor([file]).text(`-----BEGIN-----\n${wrapped}\n-----END-----`);
    expect(clean.replaceAll(redactedMark, '').length).toBeLessThan(60);
  }
});

test('without secrets, or with short ones alone, every piece is redacted separately', () => {
  expect(inPieces([], ['a', 'b'])).toEqual(['a', 'b']);
  expect(inPieces(['pin7'], ['my pin7', 'pin', '7'])).toEqual([`my ${redactedMark}`, 'pin', '7']);
});

test('an endless beginning of a secret does not fill the memory', () => {
  const long = randomBytes(150_000).toString('hex');
  const redactor = createRedactor([long]).pieces();
  let shown = 0;
  for (let at = 0; at < 280_000; at += 40_000) shown += redactor.push(long.slice(at, at + 40_000)).length;
  expect(shown).toBeGreaterThan(0);
});
