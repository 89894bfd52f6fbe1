import fs from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { depth } from '../../../../e2e/fixtures/depth.ts';
import { parseNativeText } from './native-parser.ts';

afterEach(() => vi.restoreAllMocks());

const unfinished = (sign: string) => `a = ${sign.repeat(20_000)}`;
const finished = (sign: string) => `a = ${sign.repeat(200_000)}true`;
const exhausting = depth({
  quick: [unfinished('('), finished('!'), unfinished('[')],
  deep: ['(', '!', '['].flatMap((sign) => [unfinished(sign), finished(sign)]),
});

it('answers for a text that exhausts the parser, and reads the next file', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  const writes = vi.spyOn(fs, 'writeSync');
  for (const text of exhausting) {
    expect(await parseNativeText(text)).toEqual({ broken: true });
    expect(await parseNativeText('a = 1\n')).toHaveProperty('json');
  }
  expect(writes).not.toHaveBeenCalled();
});

it('a parser that crashes writes no trace, even while the next one is loaded', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  await parseNativeText('a = 1\n');
  const writes = vi.spyOn(fs, 'writeSync');
  const itsFiles = () => (globalThis as unknown as { fs: Pick<typeof fs, 'writeSync'> }).fs;
  expect(itsFiles().writeSync(2, new Uint8Array(9))).toBe(9);
  await parseNativeText(exhausting[0] as string);
  const next = parseNativeText('a = 1\n');
  expect(itsFiles().writeSync(2, new Uint8Array(9))).toBe(9);
  expect(await next).toHaveProperty('json');
  expect(writes).not.toHaveBeenCalled();
});
