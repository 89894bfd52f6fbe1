import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../../../test/certificate-authority.ts';
import { tempDir } from '../../../test/harness.ts';
import { readAuthorityFile } from './authority-file.ts';

describe('the file of an authority', () => {
  let [folder, first, second, key]: string[] = [];
  beforeAll(async () => {
    folder = tempDir();
    const one = await createAuthority();
    [first, second, key] = [one.ca.trim(), (await createAuthority()).ca.trim(), one.server.key];
  });
  const write = (content: string): string => {
    const file = path.join(folder ?? '', 'authority.pem');
    writeFileSync(file, content);
    return file;
  };
  const read = (file: string) => readAuthorityFile('--authority', file);

  it('gives its certificates, without a key or a comment, also behind a link', () => {
    const file = write(`# first\n${first}\n${key}\n# second\n${second}`);
    expect(read(file)).toBe(`${first}\n${second}\n`);
    const link = path.join(folder ?? '', 'link.pem');
    symlinkSync(file, link);
    expect(read(link)).toBe(`${first}\n${second}\n`);
  });

  it.each([
    ['no certificate', () => write('none')],
    ['a key alone', () => write(key ?? '')],
    ['a damaged certificate', () => write(`${first}\n${second?.replace(/\n[\w+/]{20}/, '\n')}`)],
  ])('is refused with %s', (_, file) => {
    expect(() => read(file())).toThrow(/^--authority must name a PEM file/);
  });

  it('is refused when it does not fit into an enrolment', () => {
    const file = write(`${first}\n`.repeat(Math.ceil(65_536 / (first?.length ?? 1))));
    expect(() => read(file)).toThrow(/^--authority has more certificates.*64 KiB/);
  });

  it.each([
    ['that does not exist', () => path.join(folder ?? '', 'none.pem')],
    ['that is larger than 2 MiB', () => write(`${first}\n`.padEnd(2_097_153, '#'))],
    [
      'that is a folder',
      () => {
        const inner = path.join(folder ?? '', 'inner');
        mkdirSync(inner);
        return inner;
      },
    ],
  ])('is refused for one %s', (_, file) => {
    expect(() => read(file())).toThrow(/^--authority must name a file of at most 2 MiB/);
  });
});
