import { gzipSync } from 'node:zlib';
import { file, type MaliciousCase, one } from './malicious-trees.ts';
import { commit, delta, idDelta, insert, pack, tree, whole } from './pack-writer.ts';
import {
  type Answer,
  advertisement,
  banded,
  capabilities,
  flush,
  line,
  packAnswer,
  refList,
  type Script,
} from './scripted-host.ts';

const root = tree(one);
const head = commit(root.id);
const goodPack = (): Buffer => pack([head, root, file].map(whole));

const server = (name: string, codes: readonly string[], more: Partial<Script>): MaliciousCase => ({
  name,
  codes,
  script: { head: head.id, pack: goodPack, ...more },
});
const notGit = ['source_not_git'];
const refused = ['source_fetch_refused'];
const notGitOrCut = ['source_not_git', 'source_unreachable'];
const noRef = ['source_ref_not_found'];

const info = (name: string, codes: readonly string[], answer: Answer): MaliciousCase =>
  server(name, codes, { info: answer });
const said = (name: string, codes: readonly string[], lines: readonly string[]): MaliciousCase =>
  info(name, codes, { body: advertisement(lines) });
const refs = (name: string, codes: readonly string[], ...lines: readonly string[]): MaliciousCase =>
  server(name, codes, { refs: { body: refList(lines) } });
const fetched = (name: string, codes: readonly string[], ...parts: readonly Buffer[]): MaliciousCase =>
  server(name, codes, { fetch: { body: Buffer.concat(parts) } });

/** A MiB of packets. */
const filler = Buffer.concat(Array.from({ length: 16 }, () => line('x'.repeat(65_000))));
/** More bytes than a list of refs may have, generated while they are sent. */
function* endless(first: Buffer): Generator<Buffer> {
  yield first;
  for (let at = 0; at < 70; at += 1) yield filler;
}

const forbiddenUrls = [
  'file:///etc',
  'ftp://127.0.0.1',
  'http://169.254.169.254',
  'http://0.0.0.0',
  'http://10.0.0.1',
  'http://224.0.0.1',
  'http://user:word@127.0.0.1',
  'http://metadata.google.internal',
];

const maliciousInfos = (): MaliciousCase[] => [
  ...['', 'text/html', 'application/json', 'application/x-git-upload-pack-result'].map((type) =>
    info(`an advertisement of type "${type}"`, notGit, { type, body: advertisement() }),
  ),
  info('an advertisement that is empty', notGit, { body: '' }),
  info('an advertisement of text', notGit, { body: 'Welcome to our repositories.' }),
  info('an advertisement of zeros', notGit, { body: Buffer.alloc(1_000) }),
  info('an advertisement in gzip', notGit, {
    headers: { 'content-encoding': 'gzip' },
    body: gzipSync(advertisement()),
  }),
  info('an advertisement cut in a packet', notGitOrCut, { body: advertisement().subarray(0, 50) }),
  ...['0003', '0004zz', 'zzzz', '-001', '+00a', '0x1a', ' 01a'].map((length) =>
    info(`a packet of length "${length}"`, notGitOrCut, { body: `${length}version 2\n0000` }),
  ),
  said('an error in place of an advertisement', ['source_sync_failed'], ['ERR \u001b[31mgo away\u0007']),
  said('another hash function', refused, ['version 2', 'fetch', 'ls-refs', 'object-format=md5']),
  info('capabilities without end', ['source_too_large'], { body: endless(line('version 2\n')) }),
  server('a hundred thousand capabilities and no refs', ['source_empty'], {
    info: {
      body: advertisement(['version 2', ...capabilities, ...Array.from({ length: 100_000 }, (_, at) => `x${at}`)]),
    },
    refs: { body: flush },
  }),
  ...forbiddenUrls.map((to) =>
    info(`a redirect to ${to}`, refused, {
      status: 302,
      headers: { location: `${to}/r/info/refs?service=git-upload-pack` },
    }),
  ),
  info('a redirect to nowhere', notGit, { status: 302 }),
  info('a redirect to a page', notGit, { status: 301, headers: { location: '/login' } }),
  ...[400, 418, 500, 503].map((status) => info(`status ${status}`, ['source_unreachable'], { status })),
];

const hostileRefs = [
  'refs/heads/../../../etc/passwd',
  'refs/heads/main.lock',
  'refs/heads/Main',
  'refs/heads/--upload-pack=touch',
  'refs/heads/\u001b[2J',
  'refs/heads/$(touch x)',
  '../main',
  'main',
  `refs/heads/${'x'.repeat(60_000)}`,
];
const zero = '0'.repeat(40);

const maliciousRefs = (): MaliciousCase[] => [
  ...hostileRefs.map((name) => refs(`only the ref ${JSON.stringify(name.slice(0, 40))}`, noRef, `${head.id} ${name}`)),
  ...['', 'main', '-', '../..', `${head.id.slice(1)}`, `${head.id}0`, head.id.toUpperCase(), '--upload-pack=x'].map(
    (id) => refs(`main at "${id}"`, notGit, `${id} refs/heads/main`),
  ),
  refs('main at an object of nothing', [...refused, ...noRef], `${zero} refs/heads/main`),
  refs('main that is a tag of a broken name', notGit, `${head.id} refs/heads/main peeled:xyz`),
  refs('an error in place of refs', ['source_sync_failed'], 'ERR no'),
  server('refs that are empty', ['source_empty'], { refs: { body: flush } }),
  server('refs cut in a packet', notGitOrCut, {
    refs: { body: refList([`${head.id} refs/heads/main`]).subarray(0, 30) },
  }),
  server('refs of another type', notGit, { refs: { type: 'text/plain' } }),
  server('refs that are a redirect', refused, { refs: { status: 302, headers: { location: '/elsewhere' } } }),
  server('refs that are forbidden', ['source_auth_failed'], { refs: { status: 403 } }),
  server('refs without end', ['source_too_large'], { refs: { body: endless(line(`${head.id} refs/heads/a\n`)) } }),
];

const band = (kind: number, text: string): Buffer => banded(Buffer.from(text), kind);

const maliciousFetches = (): MaliciousCase[] => [
  fetched('an answer that is empty', ['source_sync_failed']),
  fetched('an answer of text', notGitOrCut, Buffer.from('no')),
  fetched('an answer without a pack', ['source_sync_failed'], line('packfile\n'), flush),
  fetched('an answer cut in its pack', notGitOrCut, packAnswer(goodPack()).subarray(0, 60)),
  fetched('a pack without its line before', ['source_sync_failed'], banded(goodPack()), flush),
  fetched('a pack in another band', ['source_sync_failed'], line('packfile\n'), band(4, 'PACK'), flush),
  fetched('a pack in no band', ['source_sync_failed'], line('packfile\n'), line(goodPack()), flush),
  fetched('words of an error', ['source_sync_failed'], line('packfile\n'), band(3, 'hook says \u001b[31mno'), flush),
  fetched('words that nothing like it is there', noRef, line('packfile\n'), band(3, 'upload-pack: not our ref'), flush),
  fetched('an error packet', ['source_sync_failed'], line('ERR too busy\n')),
  fetched('an empty band', ['source_sync_failed'], line('packfile\n'), line(''), flush),
  server('a fetch of another type', notGit, { fetch: { type: 'text/html' } }),
  server('a fetch that moved', refused, { fetch: { status: 307, headers: { location: 'http://169.254.169.254/' } } }),
  server('a fetch that is not found', notGit, { fetch: { status: 404 } }),
  server('a pack without end', ['source_too_large'], { fetch: { body: endlessPack() } }),
];

/** Packs of more bytes than the limit. */
function* endlessPack(): Generator<Buffer> {
  yield line('packfile\n');
  const part = banded(Buffer.alloc(1 << 20));
  for (let at = 0; at < 260; at += 1) yield part;
}

/** Faults in the responses of a server. */
export const maliciousServers = (): MaliciousCase[] => [...maliciousInfos(), ...maliciousRefs(), ...maliciousFetches()];

/** A good repository whose server sends endless progress before it sends its pack. */
export function talkative(): MaliciousCase {
  const progress = Buffer.concat(Array.from({ length: 50_000 }, (_, at) => band(2, `line ${at}`)));
  return fetched('progress without end', ['kept'], line('packfile\n'), progress, banded(goodPack()), flush);
}

/** First a good repository, then others that answer differently to a client that already has the first. */
export function turns(): [Script, ...MaliciousCase[]] {
  const next = commit(tree(['100644', 'other.tf', file.id]).id);
  const other = (name: string, codes: readonly string[], answer: () => Buffer): MaliciousCase => ({
    name,
    codes,
    script: { head: next.id, pack: answer },
  });
  const whole_ = [next, tree(['100644', 'other.tf', file.id])].map(whole);
  return [
    { head: head.id, pack: goodPack },
    other('nothing', refused, () => pack([])),
    other('no pack', refused, () => Buffer.from('no')),
    other('a pack of too many', ['source_too_large'], () => pack(whole_, { count: 0xffffffff })),
    other('a delta of nothing', refused, () => pack([...whole_, idDelta('1'.repeat(40), delta(1, 1, insert('x')))])),
    other('a commit without its tree', refused, () => pack(whole_.slice(0, 1))),
  ];
}
