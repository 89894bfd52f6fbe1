import { describe, expect, it } from 'vitest';
import type { Json } from '#shared/kernel/json';
import { align } from './align.ts';
import { type DiffNode, diffResource } from './diff.ts';
import { pathText } from './search.ts';
import { finalNewline, longTexts, sideText } from './side-text.ts';
import { diffLines, foldLines } from './text-diff.ts';
import { formatJson } from './value-text.ts';

const hidden = { $svc: 'sensitive' };
const hiddenChanged = { $svc: 'sensitive', changed: true };
const say = (id: string) => `(${id.split('.').at(-1)})`;

type Sides = { before?: Json; after?: Json; unknown?: Json; sensitive?: Json; replacePaths?: Json[] };
const diff = ({ before = null, after = null, unknown = {}, sensitive = false, replacePaths = [] }: Sides) =>
  diffResource({ before, after, afterUnknown: unknown, afterSensitive: sensitive, replacePaths });

/** `change path before -> after`, every leaf that is not the same. */
function listChanges(nodes: readonly DiffNode[]): string[] {
  return nodes.flatMap((node) => {
    if (node.change === 'same' && !node.forces) return [];
    if (node.kind === 'group') return listChanges(node.children);
    const sides = `${sideText(node.before, say)} -> ${sideText(node.after, say, node.before)}`;
    return [
      `${node.change} ${pathText(node.path)} ${sides}${node.note ? ` ${node.note}` : ''}${node.forces ? ' !' : ''}`,
    ];
  });
}

describe('the attributes of a change', () => {
  it('lists what is added, changed and removed, and counts the rest as unchanged', () => {
    const nodes = diff({ before: { a: 1, b: 'x', c: true, gone: 1 }, after: { a: 1, b: 'y', c: true, came: 2 } });
    expect(listChanges(nodes)).toEqual(['update b "x" -> "y"', 'add came  -> 2', 'remove gone 1 -> ']);
    expect(nodes.filter((node) => node.change === 'same')).toHaveLength(2);
  });

  it('of a create shows what is set, and null as not set', () => {
    const nodes = diff({ after: { name: 'x', note: null }, unknown: { id: true } });
    expect(listChanges(nodes)).toEqual(['add id  -> (unknown)', 'add name  -> "x"']);
  });

  it('of a delete shows what goes', () => {
    expect(listChanges(diff({ before: { name: 'x', note: null, tags: { a: 'b' } } }))).toEqual([
      'remove name "x" -> ',
      'remove tags.a "b" -> ',
    ]);
  });

  it('keeps null apart from absent', () => {
    expect(listChanges(diff({ before: { a: null, b: 'x', m: { k: 1 } }, after: { a: 'x', b: null, m: {} } }))).toEqual([
      'add a null -> "x"',
      'remove b "x" -> null',
      'remove m.k 1 -> ',
    ]);
  });

  it('goes into nested structures and names keys that are no plain names in quotes', () => {
    const before = { settings: { limits: { 'a.b/c': 1, ok: 2 } } };
    const after = { settings: { limits: { 'a.b/c': 3, ok: 2 } } };
    expect(listChanges(diff({ before, after }))).toEqual(['update settings.limits["a.b/c"] 1 -> 3']);
  });

  it('marks what is known after the apply, also where the tool leaves the attribute out', () => {
    const change = {
      before: { id: 'i', tags: { a: '1' }, list: ['x', 'y'] },
      after: { tags: {}, list: ['x', null] },
      unknown: { id: true, tags: { a: true }, list: [false, true], made: { deep: true } },
    };
    expect(listChanges(diff(change))).toEqual([
      'update id "i" -> (unknown)',
      'update list[1] "y" -> (unknown)',
      'add made.deep  -> (unknown)',
      'update tags.a "1" -> (unknown)',
    ]);
    expect(listChanges(diff({ before: { l: ['a'] }, after: {}, unknown: { l: true } }))).toEqual([
      'update l ["a"] -> (unknown)',
    ]);
  });

  it('reports whether a sensitive value changes, and never the value', () => {
    const before = { a: hidden, b: hidden, c: 'open', d: hidden, e: hidden };
    const after = { a: hidden, b: hiddenChanged, c: hidden, d: 'open', e: null, f: hiddenChanged };
    const nodes = diff({ before, after });
    expect(listChanges(nodes)).toEqual([
      'update b (sensitive) -> (sensitiveChanges)',
      'update c "open" -> (sensitive) becomes_sensitive',
      'update d (sensitive) -> "open" no_longer_sensitive',
      'remove e (sensitive) -> null',
      'add f  -> (sensitive)',
    ]);
  });

  it('says that an unknown value is sensitive', () => {
    expect(listChanges(diff({ after: {}, unknown: { key: true }, sensitive: { key: true } }))).toEqual([
      'add key  -> (unknownSensitive)',
    ]);
  });

  it('takes a resource that is sensitive as a whole', () => {
    expect(listChanges(diff({ before: hidden, after: hiddenChanged }))).toEqual([
      'update  (sensitive) -> (sensitiveChanges)',
    ]);
  });

  it('reports a change of type', () => {
    expect(listChanges(diff({ before: { a: '1', b: [1] }, after: { a: 1, b: { x: 1 } } }))).toEqual([
      'update a "1" -> 1 type',
      'update b [1] -> { "x": 1 } type',
    ]);
  });

  it('marks what forces the replace, puts it first and shows it even when both sides look alike', () => {
    const change = {
      before: { a: 1, disk: [{ size: 1 }], z: 1, secret: hidden },
      after: { a: 2, disk: [{ size: 2 }], z: 2, secret: hidden },
      replacePaths: [['z'], ['disk', 0, 'size'], ['secret'], [{ odd: true }]],
    };
    expect(listChanges(diff(change))).toEqual([
      'same secret (sensitive) -> (sensitive) !',
      'update z 1 -> 2 !',
      'update a 1 -> 2',
      'update disk[0].size 1 -> 2 !',
    ]);
  });

  it('marks the nearest attribute when the path leads deeper than what is shown', () => {
    expect(
      listChanges(diff({ before: { a: ['x'] }, after: {}, unknown: { a: true }, replacePaths: [['a', 0]] })),
    ).toEqual(['update a ["x"] -> (unknown) !']);
  });

  it('handles keys such as __proto__', () => {
    const before = JSON.parse('{"__proto__":{"a":1},"constructor":"x","toString":1}') as Json;
    const after = JSON.parse('{"__proto__":{"a":2},"constructor":"x"}') as Json;
    expect(listChanges(diff({ before, after }))).toEqual(['update __proto__.a 1 -> 2', 'remove toString 1 -> ']);
  });
});

describe('lists', () => {
  const list = (before: Json[], after: Json[], unknown: Json = {}) =>
    listChanges(diff({ before: { l: before }, after: { l: after }, unknown }));

  it('finds what was put in and taken out', () => {
    expect(list(['a', 'b', 'c'], ['b', 'c', 'd'])).toEqual(['remove l[0] "a" -> ', 'add l[2]  -> "d"']);
    expect(list(['a', 'c'], ['a', 'b', 'c'])).toEqual(['add l[1]  -> "b"']);
  });

  it('matches by position where as many go as come', () => {
    expect(list(['a', 'b', 'c'], ['a', 'x', 'c'])).toEqual(['update l[1] "b" -> "x"']);
  });

  it('shows a new order', () => {
    expect(list(['a', 'b'], ['b', 'a'])).toEqual(['remove l[0] "a" -> ', 'add l[1]  -> "a"']);
  });

  it('matches objects by what they share', () => {
    const before = [
      { from: 22, cidr: 'a', text: 'ssh' },
      { from: 80, cidr: 'a', text: 'web' },
    ];
    const after = [
      { from: 80, cidr: 'b', text: 'web' },
      { from: 443, cidr: 'z', text: 'tls' },
      { from: 22, cidr: 'a', text: 'ssh' },
    ];
    expect(list(before, after)).toEqual([
      'update l[0].cidr "a" -> "b"',
      'add l[1].cidr  -> "z"',
      'add l[1].from  -> 443',
      'add l[1].text  -> "tls"',
    ]);
  });

  it('matches an object by its name although everything else changes', () => {
    const item = (name: string, size: number) => ({ name, size, kind: `k${size}`, mode: `m${size}` });
    expect(list([item('a', 1), item('b', 2), item('c', 3)], [item('c', 3), item('b', 9)]).slice(0, 3)).toEqual(
      expect.arrayContaining(['remove l[0].name "a" -> ']),
    );
    expect(list([item('a', 1), item('b', 2)], [item('b', 9)])).toContain('update l[0].size 2 -> 9');
  });

  it('matches objects that share little only where they stand at the same place', () => {
    expect(list([{ a: 1, b: 2 }], [{ a: 3, b: 4 }])).toEqual(['update l[0].a 1 -> 3', 'update l[0].b 2 -> 4']);
    const web = { from: 80, to: 80, text: 'web' };
    expect(list([{ from: 22, to: 22 }, web], [web, { from: 443, to: 443 }])).toEqual([
      'remove l[0].from 22 -> ',
      'remove l[0].to 22 -> ',
      'add l[1].from  -> 443',
      'add l[1].to  -> 443',
    ]);
  });

  it('compares items that are partly unknown', () => {
    expect(list([{ a: 1, id: 'x' }], [{ a: 1 }], { l: [{ id: true }] })).toEqual(['update l[0].id "x" -> (unknown)']);
  });
});

describe('long texts', () => {
  const leaf = (before: Json, after: Json) => {
    const [node] = diff({ before: { a: before }, after: { a: after } });
    return node?.kind === 'leaf' ? longTexts(node, say) : undefined;
  };

  it('shows short ones on one line', () => {
    expect(leaf('a', 'b')).toBeUndefined();
  });

  it('formats JSON without parsing numbers or dropping members', () => {
    expect(leaf('{"a":1}', '{"a":12345678901234567890,"a":[]}')).toEqual({
      before: '{\n  "a": 1\n}',
      after: '{\n  "a": 12345678901234567890,\n  "a": []\n}',
      format: 'json',
    });
    expect(formatJson('{"a":"x: {,}\\"","b":{}}')).toBe('{\n  "a": "x: {,}\\"",\n  "b": {}\n}');
    expect(formatJson('[not json]')).toBeUndefined();
  });

  it('does not format when only one side is JSON', () => {
    expect(leaf('{"a":1}', 'plain')).toMatchObject({ before: '{"a":1}', format: 'text' });
  });

  it('shows removed and added lines, with the part that differs', () => {
    const lines = diffLines('a\nsize = 1\nz', 'a\nsize = 2\nz');
    expect(lines.map(({ kind, text, mark }) => [kind, text, mark])).toEqual([
      ['same', 'a', undefined],
      ['remove', 'size = 1', [7, 8]],
      ['add', 'size = 2', [7, 8]],
      ['same', 'z', undefined],
    ]);
    expect(diffLines(undefined, 'a\nb').map((line) => line.kind)).toEqual(['add', 'add']);
  });

  it('counts a final newline as the end of its line and not as a line', () => {
    const kinds = (before: string | undefined, after: string | undefined) =>
      diffLines(before, after).map(({ kind, text }) => `${kind} ${text}`);
    expect(kinds(undefined, 'a\nb\n')).toEqual(['add a', 'add b']);
    expect(kinds('a\n', 'a\nb\n')).toEqual(['same a', 'add b']);
    expect(kinds('a', 'a\n')).toEqual(['same a']);
    expect(kinds('', 'a\n')).toEqual(['add a']);
    expect(kinds('a\n', 'a\n\n')).toEqual(['same a', 'add ']);
  });

  it('says which side alone ends with a newline', () => {
    expect(finalNewline({ before: 'a', after: 'a\nb\n', format: 'text' })).toBe('final_newline_added');
    expect(finalNewline({ before: 'a\n', after: 'b', format: 'text' })).toBe('final_newline_removed');
    expect(finalNewline({ before: 'a\n', after: 'b\n', format: 'text' })).toBeUndefined();
    expect(finalNewline({ before: undefined, after: 'b\n', format: 'text' })).toBeUndefined();
    expect(finalNewline({ before: '', after: 'b\n', format: 'text' })).toBeUndefined();
    expect(finalNewline({ before: '{\n}', after: '{\n}\n', format: 'json' })).toBeUndefined();
  });

  it('folds lines away from what changes', () => {
    const text = (middle: string) =>
      Array.from({ length: 40 }, (_, index) => (index === 20 ? middle : `l${index}`)).join('\n');
    const blocks = foldLines(diffLines(text('x'), text('y')));
    expect(blocks.map((block) => [block.kind, block.lines.length])).toEqual([
      ['fold', 17],
      ['lines', 8],
      ['fold', 16],
    ]);
  });
});

describe('the alignment', () => {
  it('rebuilds both sides from random texts', () => {
    let seed = 7;
    const random = (size: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % size;
    };
    for (let round = 0; round < 300; round += 1) {
      const make = () => Array.from({ length: random(14) }, () => String(random(4)));
      const before = make();
      const after = make();
      const pairs = align(before, after);
      expect(pairs.flatMap(({ before: at }) => at ?? []).sort((a, b) => a - b)).toEqual([...before.keys()]);
      expect(pairs.flatMap(({ after: at }) => at ?? [])).toEqual([...after.keys()]);
      for (const pair of pairs)
        if (pair.before !== undefined && pair.after !== undefined) expect(before[pair.before]).toBe(after[pair.after]);
    }
  });

  it('puts removals before additions, and keeps the common ends of texts that differ in too many lines', () => {
    expect(align(['a', '1', 'b', '2', 'c'], ['a', '3', 'b', '4', 'c'])).toEqual([
      { before: 0, after: 0 },
      { before: 1 },
      { after: 1 },
      { before: 2, after: 2 },
      { before: 3 },
      { after: 3 },
      { before: 4, after: 4 },
    ]);
    const numbered = (prefix: string) => Array.from({ length: 2_000 }, (_, index) => `${prefix}${index}`);
    const pairs = align(['head', ...numbered('a'), 'tail'], ['head', ...numbered('b'), 'tail']);
    expect([pairs.length, pairs[0], pairs[2_000], pairs[2_001], pairs.at(-1)]).toEqual([
      4_002,
      { before: 0, after: 0 },
      { before: 2_000 },
      { after: 1 },
      { before: 2_001, after: 2_001 },
    ]);
  });

  it('finds the longest common part, and gives up in time on texts that share nothing', () => {
    expect(
      align([...'abcabba'], [...'cbabac']).filter((pair) => pair.before !== undefined && pair.after !== undefined),
    ).toHaveLength(4);
    const numbered = (prefix: string) => Array.from({ length: 5_000 }, (_, index) => `${prefix}${index}`);
    expect(align(numbered('a'), numbered('b'))).toHaveLength(10_000);
  });
});
