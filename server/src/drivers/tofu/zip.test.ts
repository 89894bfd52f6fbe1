import { describe, expect, it } from 'vitest';
import { zip } from '../../../test/zip.ts';
import { isUnambiguous, listZip, readZipFile } from './zip.ts';

describe('a ZIP archive', () => {
  it('returns stored and deflated files', () => {
    expect(readZipFile(zip({ a: 'x'.repeat(1000), b: 'y' }), 'a', 2000).toString()).toBe('x'.repeat(1000));
    expect(readZipFile(zip({ a: 'kept' }, 0), 'a', 2000).toString()).toBe('kept');
  });

  it('is refused when it is damaged, too large or without the file', () => {
    const whole = zip({ tofu: 'OpenTofu' });
    const altered = Buffer.from(whole);
    altered[35] = (altered[35] as number) ^ 0xff;
    const attempts: [Buffer, number][] = [
      [altered, 100],
      [whole, 3],
      [zip({ other: '' }), 100],
      [whole.subarray(0, -10), 100],
      [Buffer.alloc(0), 100],
      [Buffer.alloc(100), 100],
    ];
    for (const [bytes, max] of attempts)
      expect(() => readZipFile(bytes, 'tofu', max)).toThrow(expect.objectContaining({ code: 'tool_download_failed' }));
  });
});

describe('isUnambiguous', () => {
  const archive = zip({ a: 'x', b: 'y' });

  it('accepts an archive as the tools write it', () => expect(isUnambiguous(archive)).toBe(true));

  it('refuses an archive that two readers could read differently', () => {
    const comment = Buffer.from('PK\u0005\u0006 as a comment');
    const commented = Buffer.concat([archive, comment]);
    commented.writeUInt16LE(comment.length, archive.length - 2);
    const longer = Buffer.from(archive);
    longer.writeUInt32LE(0, archive.length - 6);
    const twice = zip([
      ['a', 'shown'],
      ['a', 'applied'],
    ]);
    const locator = Buffer.concat([
      archive.subarray(0, -22),
      Buffer.from('PK\u0006\u0007'),
      Buffer.alloc(16),
      archive.subarray(-22),
    ]);
    const prefixed = Buffer.concat([Buffer.from('more'), archive]);
    const followed = Buffer.concat([archive, Buffer.from('x')]);
    for (const other of [commented, longer, twice, locator, prefixed, followed, Buffer.alloc(9)])
      expect(isUnambiguous(other)).toBe(false);
  });

  it('lists the files in their order', () => {
    expect(listZip(archive).map(({ name, read }) => [name, read(9).toString()])).toEqual([
      ['a', 'x'],
      ['b', 'y'],
    ]);
  });
});
