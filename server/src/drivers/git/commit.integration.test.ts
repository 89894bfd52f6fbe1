import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createTestRepository,
  type GitFixture,
  startGitFixture,
  type TestRepository,
} from '../../../../e2e/fixtures/git-server.ts';
import { startGit } from '../../../test/git-driver.ts';
import { parseCommit } from './commit.ts';
import type { Git } from './index.ts';

let tempRoot: string;
let host: GitFixture;
let git: Git;
let repository: TestRepository;
beforeAll(async () => {
  tempRoot = fs.mkdtempSync(path.join(os.tmpdir(), 'gc-commit-'));
  repository = createTestRepository(path.join(tempRoot, 'served/modules'));
  repository.commit({ 'main.tf': 'one' });
  host = await startGitFixture({ root: path.join(tempRoot, 'served') });
  git = startGit({ allowLoopback: true, allowLocal: true });
});
afterAll(async () => {
  await Promise.all([git.close(), host.close()]);
  fs.rmSync(tempRoot, { recursive: true, force: true });
});

const letters = fc.string({ unit: fc.constantFrom(...'abcXYZ 019.,-äß日本語'), minLength: 1, maxLength: 30 });
const phrase = letters.map((text) => `w${text.replaceAll(/\s+/g, ' ').trim()}`);
const line = fc.oneof(
  { weight: 4, arbitrary: phrase },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '  indented') },
);
const headers = fc.subarray([
  'gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEz author Eve <e@x> 1 +0000\n -----END PGP SIGNATURE-----\n',
  'mergetag object 1\n type commit\n tag v1\n tagger Eve <e@x> 1 +0000\n \n text\n',
  'HG:extra author\n',
]);
const zone = fc.constantFrom('+0000', '+0900', '-0330', '+1400', '-1200');
const commits = fc.record({
  author: phrase,
  committer: phrase,
  authored: fc.integer({ min: 1, max: 4_000_000_000 }),
  committed: fc.integer({ min: 1, max: 4_000_000_000 }),
  zone,
  headers,
  isLatin: fc.boolean(),
  lines: fc.array(line, { maxLength: 12 }),
  end: fc.constantFrom('', '\n', '\n\n'),
});
type Generated = typeof commits extends fc.Arbitrary<infer T> ? T : never;

/** Raw bytes of a commit; in Latin-1 with the characters that it has. */
function rawCommit(tree: string, at: Generated): Buffer {
  const people = [
    `author ${at.author} <a@example.com> ${at.authored} ${at.zone}`,
    `committer ${at.committer} <c@example.com> ${at.committed} ${at.zone}`,
  ].join('\n');
  const encoding = at.isLatin ? 'encoding ISO-8859-1\n' : '';
  const text = `tree ${tree}\n${people}\n${encoding}${at.headers.join('')}\n${at.lines.join('\n')}${at.end}`;
  return at.isLatin ? Buffer.from(text.replaceAll(/[日本語]/g, '+'), 'latin1') : Buffer.from(text);
}

it('reads subject, message, author and times of generated commits as git does', () => {
  const tree = repository.git('rev-parse', 'HEAD^{tree}');
  const raws = fc.sample(commits, 1_000).map((at) => rawCommit(tree, at));
  const files = raws.map((bytes, index) => {
    const file = path.join(tempRoot, `commit-${index}`);
    fs.writeFileSync(file, bytes);
    return file;
  });
  const ids = repository.gitWith(files.join('\n'), 'hash-object', '-t', 'commit', '-w', '--literally', '--stdin-paths');
  const format = '--format=%s%x00%B%x00%an%x00%at%x00%ct%x01';
  const shown = repository.gitWith(ids, 'log', '--no-walk=unsorted', '--stdin', format).split('\u0001');
  raws.forEach((bytes, index) => {
    const [subject, message = '', author, authored, committed] = (shown[index] ?? '').replace(/^\n/, '').split('\0');
    const parsed = parseCommit(bytes);
    expect({
      subject: parsed.subject,
      message: parsed.message,
      author: parsed.authorName,
      authored: String(Date.parse(parsed.authoredAt) / 1_000),
      committed: String(Date.parse(parsed.committedAt) / 1_000),
    }).toEqual({ subject, message: message.replace(/^(?:\s*\n)+/, '').trimEnd(), author, authored, committed });
  });
});

it('comes with a sync over HTTP and from a repository on this disk', async () => {
  repository.git(
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'Raise the limit\n\nIt was too low.',
    '--author',
    'Eve <e@x.org>',
  );
  const expected = {
    subject: 'Raise the limit',
    message: 'Raise the limit\n\nIt was too low.',
    authorName: 'Eve',
    authoredAt: '2026-01-01T00:00:00.000Z',
    committedAt: '2026-01-01T00:00:00.000Z',
  };
  const folders = { repositoryDir: path.join(tempRoot, 'kept'), archivesDir: path.join(tempRoot, 'archives') };
  for (const url of [`${host.url}/plain/modules`, pathToFileURL(repository.dir).href])
    expect((await git.sync({ url, ref: 'main', path: '.' }, folders)).commit).toEqual(expected);
});
