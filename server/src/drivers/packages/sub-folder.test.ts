import { describe, expect, it } from 'vitest';
import { expandSub } from './sub-folder.ts';

describe('the folder after //', () => {
  const files = ['repo-1.2.0/main.tf', 'repo-1.2.0/modules/net/main.tf', 'README.md'];

  it.each([
    ['.', '.'],
    ['repo-1.2.0', 'repo-1.2.0'],
    ['repo-*', 'repo-1.2.0'],
    ['*-1.?.*', 'repo-1.2.0'],
    ['repo-*/mod*s/n?t', 'repo-1.2.0/modules/net'],
  ])('%s names %s', (sub, folder) => expect(expandSub(sub, files)).toBe(folder));

  it.each(['*', 'repo', 'repo-?', 'repo-*/main.tf', 'repo-[1]*', '*/*/*/*/*/*/*/*/*'])(
    '%s names no one folder',
    (sub) => {
      expect(() => expandSub(sub, files)).toThrow(expect.objectContaining({ code: 'folder_not_found' }));
    },
  );

  it('is compared with a long name without trying all divisions of it', () => {
    const file = `${'a'.repeat(255)}/main.tf`;
    expect(() => expandSub(`${'*a'.repeat(8)}b`, [file])).toThrow(
      expect.objectContaining({ code: 'folder_not_found' }),
    );
    expect(expandSub('*a'.repeat(8), [file])).toBe('a'.repeat(255));
  });
});
