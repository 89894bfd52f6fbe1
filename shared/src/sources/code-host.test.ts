import { describe, expect, it } from 'vitest';
import { type CodeHost, codeLinksOf } from './code-host.ts';

const commit = 'a'.repeat(40);
const other = 'b'.repeat(64);
const linksOf = (url: string, codeHost: CodeHost = 'none') => codeLinksOf({ url, codeHost });

describe('links to the pages of a repository', () => {
  it.each([
    ['https://github.com/org/repo.git', 'https://github.com/org/repo/commit', 'https://github.com/org/repo/tree'],
    ['https://gitlab.com/a/b/c/repo', 'https://gitlab.com/a/b/c/repo/-/commit', 'https://gitlab.com/a/b/c/repo/-/tree'],
    ['https://codeberg.org/o/r/', 'https://codeberg.org/o/r/commit', 'https://codeberg.org/o/r/src/commit'],
    ['https://bitbucket.org/o/r', 'https://bitbucket.org/o/r/commits', 'https://bitbucket.org/o/r/src'],
  ])('need no setting for %s', (url, commitPage, treePage) => {
    const links = linksOf(url);
    expect(links?.commit(commit)).toBe(`${commitPage}/${commit}`);
    expect(links?.tree(commit, '.')).toBe(`${treePage}/${commit}`);
    expect(links?.tree(commit, 'a b/#c')).toBe(`${treePage}/${commit}/a%20b/%23c`);
  });

  it('compare two commits, older first', () => {
    const compare = (url: string) => linksOf(url)?.compare(commit, other);
    expect(compare('https://github.com/o/r')).toBe(`https://github.com/o/r/compare/${commit}...${other}`);
    expect(compare('https://gitlab.com/o/r')).toBe(`https://gitlab.com/o/r/-/compare/${commit}...${other}`);
    expect(compare('https://codeberg.org/o/r')).toBe(`https://codeberg.org/o/r/compare/${commit}...${other}`);
    expect(compare('https://bitbucket.org/o/r')).toBe(
      `https://bitbucket.org/o/r/branches/compare/${other}%0D${commit}`,
    );
  });

  it.each([
    ['ssh://git@git.example.com:2222/group/repo.git', 'https://git.example.com/group/repo'],
    ['git@git.example.com:group/repo.git', 'https://git.example.com/group/repo'],
    ['https://user:secret@git.example.com:8443/group/repo.git', 'https://git.example.com:8443/group/repo'],
    ['http://127.0.0.1:3000/group/repo', 'http://127.0.0.1:3000/group/repo'],
  ])('of %s lead to the web pages, without a user', (url, base) => {
    expect(linksOf(url, 'gitea')?.commit(commit)).toBe(`${base}/commit/${commit}`);
  });

  it('do not exist for local paths, unnamed hosts, lookalikes and addresses without a path', () => {
    for (const url of [
      'file:///srv/git/repo',
      '/srv/git/repo',
      'C:\\git\\repo',
      'javascript:alert(1)',
      'https://x.org',
    ])
      expect([url, linksOf(url, 'github')]).toEqual([url, undefined]);
    for (const url of ['https://git.example.com/o/r', 'https://github.com.evil.org/o/r', 'https://constructor/o/r'])
      expect([url, linksOf(url)]).toEqual([url, undefined]);
  });

  it('are never built from something that is not a commit', () => {
    expect(() => linksOf('https://github.com/o/r')?.commit('../../x')).toThrow('A commit');
  });
});
