import { describe, expect, it } from 'vitest';
import { SnapshotCommit } from '#shared/sources/contract';
import { parseCommit } from './commit.ts';

const tree = `tree ${'a'.repeat(40)}\n`;
const people = 'author Ada <ada@example.com> 1767225600 +0900\ncommitter Bob <bob@example.com> 1767225601 -0330\n';
const parse = (message: string | Buffer, head = people) =>
  parseCommit(Buffer.concat([Buffer.from(`${tree}${head}\n`), Buffer.from(message)]));
const authorOf = (author: string) => parse('x', `author ${author}\ncommitter B <b> 0 +0000\n`);

describe('a commit', () => {
  it('has its texts, its times as instants and no address', () => {
    expect(parse('Add a bucket\n\nIt holds logs.\n')).toEqual({
      subject: 'Add a bucket',
      message: 'Add a bucket\n\nIt holds logs.',
      authorName: 'Ada',
      authoredAt: '2026-01-01T00:00:00.000Z',
      committedAt: '2026-01-01T00:00:01.000Z',
    });
  });

  it('joins the lines of its first paragraph to the subject', () => {
    expect(parse('\n \none\n  two \n\nthree').subject).toBe('one   two');
    expect(parse('one\r\ntwo\r\n\r\nthree')).toMatchObject({ subject: 'one two', message: 'one\ntwo\n\nthree' });
    expect(parse('no end of line').subject).toBe('no end of line');
    expect(parse('')).toMatchObject({ subject: '', message: '' });
    expect(parseCommit(Buffer.from(tree))).toMatchObject({ subject: '', authorName: '' });
  });

  it('does not read signatures and merged tags as headers', () => {
    const signature =
      'gpgsig -----BEGIN PGP SIGNATURE-----\n \n author Eve <e> 5 +0000\n encoding utf-16le\n -----END\n';
    const tag = 'mergetag object 1\n type commit\n tagger Eve <e@e.org> 1 +0000\n \n author Eve <e> 5 +0000\n';
    for (const head of [signature + people, people + signature, people + tag + signature])
      expect(parse('Signed\n', head)).toMatchObject({ subject: 'Signed', authorName: 'Ada' });
  });

  it('is decoded as its encoding header says, and as UTF-8 where that is unknown', () => {
    const head = (encoding: string) => `${people}encoding ${encoding}\n`;
    expect(parse(Buffer.from('Größe', 'latin1'), head('ISO-8859-1')).subject).toBe('Größe');
    expect(parse(Buffer.from([0x93, 0xfa, 0x96, 0x7b]), head('Shift_JIS')).subject).toBe('日本');
    expect(parse('Größe', head('klingon')).subject).toBe('Größe');
    expect(parse(Buffer.from([0x47, 0xf6, 0x21])).subject).toBe('G\ufffd!');
  });

  it('shows nothing that looks like an address', () => {
    expect(authorOf('Ada <ada@example.com> 1 +0000').authorName).toBe('Ada');
    expect(authorOf('ada@example.com <ada@example.com> 1 +0000').authorName).toBe('ada');
    expect(authorOf('<ada@example.com> 1 +0000').authorName).toBe('');
    const trailer = 'Fix\n\nSigned-off-by: Ada <ada@example.com>\nReported by bob.b@mail.example.co.uk, see a@1.2.3\n';
    expect(parse(trailer).message).toBe('Fix\n\nSigned-off-by: Ada\nReported by bob.b@…, see a@1.2.3');
  });

  it('shows characters that cannot be seen as their codes', () => {
    expect(parse('a\u001b[31m\u202eb').message).toBe('a\\u{1b}[31m\\u{202e}b');
    expect(authorOf('A\u0007da <a> 1 +0000').authorName).toBe('A\\u{7}da');
  });

  it('cuts a long message at a character, and says so', () => {
    const long = parse('é'.repeat(10_000));
    expect(long).toMatchObject({ message: 'é'.repeat(4_096), messageCut: true, subject: `${'é'.repeat(500)}…` });
    expect(parse(`${'x'.repeat(8_191)}é`)).toMatchObject({ message: 'x'.repeat(8_191), messageCut: true });
    expect(parse(`${'x'.repeat(8_190)}\u0007`)).toMatchObject({ message: 'x'.repeat(8_190), messageCut: true });
    expect(parse(`${'x '.repeat(4_090)}ada@example.com`).message).toMatch(/ ada@…$/);
    expect(parse('x'.repeat(8_192)).messageCut).toBeUndefined();
    expect(parse(Buffer.alloc(1 << 20, 'é')).message).toBe('é'.repeat(4_096));
  });

  it('has a valid record whatever its times and people are', () => {
    for (const author of [
      '',
      'x',
      '< 1',
      'A <a> -5 +0000',
      'A <a> 99999999999999999999 +0000',
      'A <a> x',
      'A > <b> 7 +0000',
    ])
      expect(() => SnapshotCommit.parse(authorOf(author))).not.toThrow();
    expect(authorOf('A <a> 253402300800 +0000').authoredAt).toBe('1970-01-01T00:00:00.000Z');
  });

  it('is read quickly when it is made to be slow', () => {
    const started = performance.now();
    for (const text of ['@'.repeat(20_000), 'a@'.repeat(10_000), `${'a.'.repeat(10_000)}@`, '<a@'.repeat(8_000)])
      parse(text);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
