import { blob, commit, make, type PackObject, pack, type RawTreeEntry, tag, tree, whole } from './pack-writer.ts';
import type { Script } from './scripted-host.ts';

/** A repository that must not become a snapshot, and the accepted reasons for its refusal. */
export type MaliciousCase = { name: string; codes: readonly string[]; script: Script };

export const refused = ['source_fetch_refused'];
export const tooLarge = ['source_too_large'];
export const file = blob('output "a" { value = 1 }\n');
export const one: RawTreeEntry = ['100644', 'main.tf', file.id];

/** A repository of one commit over these objects. */
function repository(
  name: string,
  codes: readonly string[],
  root: PackObject,
  ...others: readonly PackObject[]
): MaliciousCase {
  const head = commit(root.id);
  return { name, codes, script: { head: head.id, pack: () => pack([head, root, file, ...others].map(whole)) } };
}

const names: readonly (string | Buffer)[] = [
  '',
  '.',
  '..',
  '.. ',
  '. ',
  ' .',
  '. .',
  '.\u200c',
  '.\u200c.',
  '.git',
  '.GIT',
  '.Git',
  '.gIt',
  '.git.',
  '.git ',
  '.git. .',
  '.git...',
  'git~1',
  'GIT~1',
  'git~1.',
  '.git::$INDEX_ALLOCATION',
  '.git:$i30:$INDEX_ALLOCATION',
  '.GIT::$DATA',
  '.git:stream',
  'main.tf::$DATA',
  'main.tf:evil:$DATA',
  '.g\u200cit',
  '.git\u200d',
  '\u200e.git',
  '.\ufeffgit',
  '.g\u202ei\u206at',
  '/etc/passwd',
  '/',
  'a/b',
  '../../etc/cron.d/x',
  'a/../../b',
  'C:\\Windows\\x',
  '..\\..\\x',
  'a\\b',
  '\\\\host\\share',
  '\u0001',
  'a\nb',
  'a\r',
  '\t',
  '\u001b[2J',
  '\u007f',
  'n'.repeat(256),
  'ü'.repeat(128),
  Buffer.from([0x2e, 0x2e, 0x2f, 0xff]),
  Buffer.from([0xff, 0x5c]),
  Buffer.from([0xc0, 0x01]),
];

const shown = (name: string | Buffer): string => JSON.stringify(name.toString().slice(0, 40));

/** Each name as a file, a link, a submodule, and deep in a folder that looks harmless. */
const maliciousNames = (): MaliciousCase[] =>
  names.flatMap((name) => {
    const inner = tree(one);
    const deep = tree(['100644', name, file.id]);
    return [
      repository(`a file named ${shown(name)}`, refused, tree(['100644', name, file.id], one)),
      repository(`a folder named ${shown(name)}`, refused, tree(['40000', name, inner.id]), inner),
      repository(`a link named ${shown(name)}`, refused, tree(['120000', name, file.id])),
      repository(`a file named ${shown(name)} in a folder`, refused, tree(['40000', 'net', deep.id]), deep),
    ];
  });

const modes = ['0', '1', '100600', '100666', '100777', '100640', '040755', '160001', '120777', '060644', '140000'];
const writtenModes = ['', 'abc', '-100644', '+100644', '100644x', '0x81a4', '1e5', '7777777', '77777777777', '100 644'];
const maliciousModes = (): MaliciousCase[] =>
  [...modes, ...writtenModes].map((mode) =>
    repository(`the mode ${shown(mode)}`, refused, tree([mode, 'main.tf', file.id])),
  );

const pairs: readonly [string, string][] = [
  ['a', 'a'],
  ['A', 'a'],
  ['main.tf', 'MAIN.TF'],
  ['\u00e9', 'e\u0301'],
  ['\u00c9', 'e\u0301'],
  ['\u212b', '\u00e5'],
  ['\u1e9b\u0323', '\u1e9b\u0323'],
  ['Ü', 'ü'],
];
/** Two names in one folder that are the same on some file system. */
const maliciousPairs = (): MaliciousCase[] =>
  pairs.flatMap(([left, right]) => {
    const inner = tree(one);
    const twins = tree(['100644', left, file.id], ['100644', right, file.id]);
    return [
      repository(`the files ${shown(left)} and ${shown(right)}`, refused, twins),
      repository(
        `the link ${shown(left)} and the folder ${shown(right)}`,
        refused,
        tree(['120000', left, file.id], ['40000', right, inner.id]),
        inner,
      ),
      repository(`${shown(left)} twice in a folder`, refused, tree(['40000', 'net', twins.id]), twins),
    ];
  });

function nested(levels: number, width: number): PackObject[] {
  const trees = [tree(one)];
  for (let level = 0; level < levels; level += 1) {
    const id = trees.at(-1)?.id ?? '';
    trees.push(tree(...Array.from({ length: width }, (_, at): RawTreeEntry => ['40000', `d${at}`, id])));
  }
  return trees.reverse();
}
const many = (count: number, mode: string): PackObject =>
  tree(...Array.from({ length: count }, (_, at): RawTreeEntry => [mode, `f${at}`, file.id]));
const ofNested = (name: string, codes: readonly string[], [root, ...others]: PackObject[]): MaliciousCase =>
  repository(name, codes, root as PackObject, ...others);

const maliciousSizes = (): MaliciousCase[] => {
  const longPath = nested(5, 1).slice(-1);
  for (let level = 0; level < 5; level += 1) longPath.unshift(tree(['40000', 'd'.repeat(250), longPath[0]?.id ?? '']));
  return [
    ofNested('folders 65 deep', tooLarge, nested(64, 1)),
    ofNested('folders 5,000 deep', tooLarge, nested(5_000, 1)),
    ofNested('ten folders in ten, nine times', tooLarge, nested(9, 10)),
    ofNested('a hundred folders in a hundred, forty times', tooLarge, nested(40, 100)),
    ofNested('a path of more than 1,024 characters', refused, longPath),
    repository('20,001 files', tooLarge, many(20_001, '100644')),
    repository('100,001 links', tooLarge, many(100_001, '120000')),
  ];
};

/** Objects that differ from the kind that refers to them. */
function maliciousTypes(): MaliciousCase[] {
  const inner = tree(one);
  const missing = '1'.repeat(40);
  const cut = (bytes: number): PackObject => make('tree', tree(one).bytes.subarray(0, bytes));
  const ofHead = (
    name: string,
    head: PackObject,
    codes: readonly string[],
    ...others: PackObject[]
  ): MaliciousCase => ({
    name,
    codes,
    script: { head: head.id, pack: () => pack([head, inner, file, ...others].map(whole)) },
  });
  const noCommit = ['source_ref_not_found'];
  const ofCommit = (name: string, content: string) => ofHead(name, make('commit', content), refused);
  return [
    repository('a folder that is a file', refused, tree(['40000', 'net', file.id])),
    repository('a file that is a folder', refused, tree(['100644', 'main.tf', inner.id]), inner),
    repository('a file that is missing', refused, tree(['100644', 'main.tf', missing])),
    repository('a folder that is missing', refused, tree(['40000', 'net', missing])),
    repository('a root that is a file', refused, file),
    ...[3, 7, 12, 15, 16, 20, 34].map((bytes) => repository(`a root cut after ${bytes} bytes`, refused, cut(bytes))),
    repository(
      'a root with bytes behind its last entry',
      refused,
      make('tree', Buffer.concat([inner.bytes, Buffer.from('x')])),
    ),
    repository('a root of spaces', refused, make('tree', ' '.repeat(64))),
    repository('a root of zeros', refused, make('tree', Buffer.alloc(64))),
    ofHead('a branch that names a file', file, noCommit),
    ofHead('a branch that names a folder', inner, noCommit),
    ofHead('a branch that names a tag of a folder', tag(inner.id, 'tree'), noCommit),
    ofHead('a branch that names a tag of nothing', tag(missing, 'commit'), noCommit),
    ofHead('a commit whose root is missing', commit(missing), refused),
    ofCommit('an empty commit', ''),
    ofCommit('a commit without a tree', 'author A <a@example.com> 0 +0000\n\nforged\n'),
    ofCommit('a commit whose tree has a short name', `tree ${'a'.repeat(39)}\n`),
    ofCommit('a commit whose tree has a longer name', `tree ${'a'.repeat(64)}\n`),
    ofCommit('a commit whose tree is an option', 'tree --upload-pack=touch /tmp/crafted\n'),
    ofCommit('a commit whose tree has capitals', `tree ${inner.id.toUpperCase()}\n`),
  ];
}

/** Faults in the content of a repository. */
export const maliciousTrees = (): MaliciousCase[] => [
  ...maliciousNames(),
  ...maliciousModes(),
  ...maliciousPairs(),
  ...maliciousSizes(),
  ...maliciousTypes(),
];

type AcceptedCase = MaliciousCase & { files: number };

/** Submodules whose addresses are options, and links that lead out: none of them is followed, so the rest is kept. */
export function acceptedTrees(): AcceptedCase[] {
  const other = '1'.repeat(40);
  const urls = [
    '--upload-pack=touch /tmp/crafted',
    '-u./crafted',
    'ext::sh -c touch% /tmp/crafted',
    'file:///etc',
    '../../..',
  ];
  const modules = (url: string) =>
    blob(`[submodule "x"]\n\tpath = -x\n\turl = ${url}\n\tupdate = !touch /tmp/crafted\n`);
  const targets = [
    '/etc/passwd',
    '../../../../etc/passwd',
    '..',
    'C:\\Windows',
    '\\\\host\\share',
    'a\0b',
    'x'.repeat(10_000),
  ];
  const bad = [
    Buffer.from([0x62, 0xff]),
    Buffer.from([0xc3]),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from([0xf5, 0x80]),
  ];
  const acceptedCase = (name: string, files: number, root: PackObject, ...others: PackObject[]): AcceptedCase => ({
    ...repository(name, ['kept'], root, ...others),
    files,
  });
  return [
    ...urls.map((url) => {
      const config = modules(url);
      return acceptedCase(
        `a submodule at ${url}`,
        2,
        tree(['100644', '.gitmodules', config.id], one, ['160000', 'x', other]),
        config,
      );
    }),
    ...targets.map((target) => {
      const link = blob(target);
      return acceptedCase(`a link to ${shown(target)}`, 1, tree(['120000', 'link.tf', link.id], one), link);
    }),
    acceptedCase('a link that is not a link', 1, tree(['120000', 'link', other], one)),
    acceptedCase('a submodule of a file', 1, tree(['160000', 'x', file.id], one)),
    ...bad.map((name) =>
      acceptedCase(`the name of the bytes ${name.toString('hex')}`, 1, tree(['100644', name, file.id], one)),
    ),
    ...['0100644', '100664', '0040000'].map((mode) => {
      const inner = tree(one);
      const id = mode === '0040000' ? inner.id : file.id;
      return acceptedCase(`the mode ${mode}`, 1, tree([mode, 'x', id]), inner);
    }),
    acceptedCase('entries out of order', 2, tree(['100644', 'z', file.id], ['100644', 'a', file.id])),
  ];
}
