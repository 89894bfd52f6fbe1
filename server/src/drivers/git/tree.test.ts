import { describe, expect, it } from 'vitest';
import { GitError } from './git-error.ts';
import { parseTree } from './tree.ts';

const id = 'ab'.repeat(20);
type Row = [mode: string, name: string | number[]];
const raw = (...rows: Row[]): Buffer =>
  Buffer.concat(
    rows.flatMap(([mode, name]) => [
      Buffer.from(`${mode} `),
      Buffer.from(name as string),
      Buffer.from([0]),
      Buffer.from(id, 'hex'),
    ]),
  );
const outcome = (...rows: Row[]): string => {
  try {
    parseTree(raw(...rows), 20);
    return 'accepted';
  } catch (error) {
    return error instanceof GitError ? error.code : `crashed: ${error}`;
  }
};

describe('a tree', () => {
  it('maps every Git mode to its kind, including older spellings', () => {
    const modes = ['100644', '100664', '100755', '40000', '040000', '120000', '160000'];
    const kinds = parseTree(raw(...modes.map((mode, index): Row => [mode, `n${index}`])), 20).map(
      (entry) => entry.kind,
    );
    expect(kinds).toEqual(['file', 'file', 'executable', 'tree', 'tree', 'symlink', 'submodule']);
  });

  it('reads names beyond ASCII, and marks the ones that are not UTF-8', () => {
    const entries = parseTree(
      raw(['100644', 'naïve 日本.tf'], ['100644', [0x66, 0xff]], ['100644', '\u202etf.exe']),
      20,
    );
    expect(entries.map((entry) => entry.name)).toEqual(['naïve 日本.tf', undefined, '\u202etf.exe']);
    expect(entries.map((entry) => entry.shown)).toEqual(['naïve 日本.tf', 'f\\xff', '\\xe2\\x80\\xaetf.exe']);
    expect(entries.every((entry) => entry.id === id)).toBe(true);
  });

  it('is refused for a mode Git does not know', () => {
    for (const mode of ['100600', '100777', '100000', '60000', '0', '', '10064x', '1000644', '-100644', '20000']) {
      expect(outcome([mode, 'a']), mode).toBe('source_fetch_refused');
    }
  });

  it('is refused for a name that leads somewhere else', () => {
    const names = [
      '',
      '.',
      '..',
      'a/b',
      '/a',
      'a\\b',
      'a\nb',
      'a\u0001',
      'a\u007f',
      '.. ',
      '. ',
      '.\u200d.',
      'n'.repeat(256),
    ];
    for (const name of names) expect(outcome(['100644', name]), JSON.stringify(name)).toBe('source_fetch_refused');
  });

  it('is refused for a name that some file system reads as .git', () => {
    const names = [
      '.git',
      '.GIT',
      '.Git',
      '.git.',
      '.git ',
      '.git. .',
      '.git::$INDEX_ALLOCATION',
      '.g\u200cit',
      '\ufeff.git',
      '.gi\u202et',
    ];
    for (const name of [...names, 'git~1', 'GIT~1', 'git~1.', 'git~1:x']) {
      expect(outcome(['40000', name]), JSON.stringify(name)).toBe('source_fetch_refused');
    }
    for (const name of ['.gitignore', '.gitmodules', '.github', 'git', 'a.git', 'git~2', '.gita', 'c:d', '...']) {
      expect(outcome(['100644', name]), name).toBe('accepted');
    }
  });

  it('is refused when two names are one on some file system', () => {
    expect(outcome(['100644', 'a'], ['100644', 'a'])).toBe('source_fetch_refused');
    expect(outcome(['100644', 'a'], ['100644', 'b'], ['40000', 'a'])).toBe('source_fetch_refused');
    expect(outcome(['100644', 'Main.tf'], ['100644', 'main.tf'])).toBe('source_fetch_refused');
    expect(outcome(['100644', 'ÉTÉ'], ['120000', 'été'])).toBe('source_fetch_refused');
    expect(outcome(['100644', 'caf\u00e9'], ['100644', 'cafe\u0301'])).toBe('source_fetch_refused');
    expect(outcome(['100644', [0xff]], ['100644', [0xff]])).toBe('source_fetch_refused');
    expect(outcome(['100644', 'a'], ['100644', 'b'])).toBe('accepted');
  });

  it('is refused when it is cut anywhere', () => {
    const whole = raw(['100644', 'main.tf'], ['40000', 'modules']);
    for (let length = 1; length < whole.length; length += 1) {
      if (length === raw(['100644', 'main.tf']).length) continue;
      expect(() => parseTree(whole.subarray(0, length), 20), String(length)).toThrow(GitError);
    }
  });
});
