import { describe, expect, it } from 'vitest';
import { type LeftOutEntry, resolveLinks } from './links.ts';

const link = (path: string, target: string): LeftOutEntry => ({ path, kind: 'symlink', target });

/** Returns the aliases as `alias -> file`, sorted, and the paths that are left out. */
function resolved(files: readonly string[], leftOut: readonly LeftOutEntry[]) {
  const { aliases, leftOut: rest } = resolveLinks(files, leftOut);
  const pairs = [...aliases].flatMap(([file, paths]) => paths.map((path) => `${path} -> ${file}`));
  return { aliases: pairs.sort(), leftOut: rest.map(({ path }) => path).sort() };
}

describe('links', () => {
  it('are replaced by a file, by the files of a folder, and through other links', () => {
    const files = ['common/versions.tf', 'common/sub/a.txt', 'stack/main.tf'];
    const links = [
      link('stack/versions.tf', '../common/versions.tf'),
      link('stack/lib', '../common/./'),
      link('again', 'stack/lib/sub'),
      link('stack/up.tf', 'lib/../versions.tf'),
    ];
    // `lib/..` is the folder above the target, as on a disk.
    expect(resolved(files, links)).toEqual({
      aliases: [
        'again/a.txt -> common/sub/a.txt',
        'stack/lib/sub/a.txt -> common/sub/a.txt',
        'stack/lib/versions.tf -> common/versions.tf',
        'stack/versions.tf -> common/versions.tf',
      ],
      leftOut: ['stack/up.tf'],
    });
  });

  it('are left out when they lead outside, nowhere, through a file, or in a circle', () => {
    const targets = {
      a: '/etc/passwd',
      b: '../outside',
      c: 'missing',
      d: 'main.tf/x',
      e: 'e',
      f: 'g',
      g: 'f',
      h: '.',
      'i/j': '../i',
      k: '',
      l: 'main.tf/',
      m: 'sub/../../main.tf',
    };
    const links = Object.entries(targets).map(([path, target]) => link(path, target));
    expect(resolved(['main.tf', 'sub/x', 'i/x'], links)).toEqual({ aliases: [], leftOut: Object.keys(targets) });
  });

  it('are left out at both paths when a folder with such a link is linked itself', () => {
    const entries = [link('a/out.tf', '/etc/x'), link('b', 'a'), { path: 'a/mod', kind: 'submodule' }];
    expect(resolved(['a/x.tf'], entries)).toEqual({
      aliases: ['b/x.tf -> a/x.tf'],
      leftOut: ['a/mod', 'a/out.tf', 'b/mod', 'b/out.tf'],
    });
  });

  it('whose target is not known are left out', () => {
    const entry = { path: 'a', kind: 'symlink' };
    expect(resolveLinks(['x'], [entry])).toEqual({ aliases: new Map(), leftOut: [entry] });
  });

  it('that multiply are refused before they fill the memory', () => {
    const levels = Array.from({ length: 60 }, (_, level) => level);
    const links = levels.flatMap((level) => ['a', 'b'].map((name) => link(`l${level}/${name}`, `../l${level + 1}`)));
    for (const last of [['l60/x'], ['y']]) {
      expect(() => resolveLinks(last, [...links, link('l60/z', '/x')])).toThrow('lead to more files');
    }
  });
});
