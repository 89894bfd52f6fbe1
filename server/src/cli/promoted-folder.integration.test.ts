import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { readServerId } from '../compose/fence.ts';
import { lockDataDir } from '../kernel/db.ts';
import { removeTree } from '../kernel/remove-tree.ts';
import { openPromotedFolder, type PromotedFolder } from './promoted-folder.ts';

let root: string;
let dataDir: string;
beforeEach(() => {
  root = tempDir();
  dataDir = path.join(root, 'data');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  removeTree(root);
});

const ledgerOf = (folder: string) => fs.readFileSync(path.join(folder, 'ledger.db'), 'utf8');
const idOf = (folder: string) => fs.readFileSync(path.join(folder, 'server-id'), 'utf8').trim();
/** Prepares a ledger as a promotion does; returns its folder and the identity of its server. */
function prepared(): PromotedFolder & { serverId: string } {
  const folder = openPromotedFolder(dataDir);
  fs.writeFileSync(path.join(folder.staged, 'ledger.db'), 'promoted');
  return { ...folder, serverId: readServerId(folder.staged) };
}
const refusal = (code: string, message: RegExp | string) =>
  expect.objectContaining({ code, exitCode: 1, message: expect.stringMatching(message) });

describe('a promoted folder', () => {
  it.each([
    ['a missing folder', () => undefined],
    ['an empty folder', () => fs.mkdirSync(dataDir, { mode: 0o700 })],
    [
      'the root of a file system',
      () => fs.mkdirSync(path.join(dataDir, 'lost+found'), { recursive: true, mode: 0o700 }),
    ],
  ])('gives its ledger to %s, with its term and the identity of its server', (_, prepare) => {
    prepare();
    const { finish, release, serverId } = prepared();
    finish(2);
    release();
    const names = fs.readdirSync(dataDir).filter((name) => name !== 'lost+found');
    expect(names.sort()).toEqual(['ledger.db', 'litestream.env', 'lock.db', 'server-id']);
    expect([ledgerOf(dataDir), idOf(dataDir)]).toEqual(['promoted', serverId]);
    expect(fs.readFileSync(path.join(dataDir, 'litestream.env'), 'utf8')).toBe('GROUNDCTL_TERM=2\n');
  });

  it('takes the journals of jobs along, also when an interrupted last step has moved some', () => {
    const { staged, release } = prepared();
    fs.mkdirSync(path.join(dataDir, 'runs', 'earlier'), { recursive: true });
    release();
    fs.mkdirSync(path.join(staged, 'runs', 'job'), { recursive: true });
    const repeated = prepared();
    repeated.finish(2);
    repeated.release();
    expect(fs.readdirSync(path.join(dataDir, 'runs'))).toEqual(['job']);
  });

  it('is not promoted again when only the end of its last step is missing', () => {
    const { finish, release, staged } = prepared();
    finish(2);
    release();
    fs.mkdirSync(staged);
    expect(() => openPromotedFolder(dataDir)).toThrow(refusal('data_folder_not_empty', /holds the promoted ledger/));
  });

  it('writes nothing beside the data folder, whose parent may belong to root', () => {
    prepared().release();
    expect(fs.readdirSync(root)).toEqual(['data']);
  });

  it('stays the same server when it is repeated, also after an interrupted last step', () => {
    const first = prepared();
    first.release();
    fs.copyFileSync(path.join(first.staged, 'server-id'), path.join(dataDir, 'server-id'));
    fs.writeFileSync(path.join(dataDir, 'litestream.env'), 'GROUNDCTL_TERM=2\n');
    const { finish, release, serverId } = prepared();
    finish(3);
    release();
    expect([serverId, idOf(dataDir)]).toEqual([first.serverId, first.serverId]);
    expect(fs.readFileSync(path.join(dataDir, 'litestream.env'), 'utf8')).toBe('GROUNDCTL_TERM=3\n');
  });

  it('is not finished while the ledger has changes beside its file', () => {
    const { staged, finish, release } = prepared();
    fs.writeFileSync(path.join(staged, 'ledger.db-wal'), '');
    expect(() => finish(2)).toThrow(refusal('ledger_open', 'Repeat the same command'));
    expect(fs.existsSync(path.join(dataDir, 'ledger.db'))).toBe(false);
    release();
  });

  it('is used by one promotion or server at a time', () => {
    const { release } = prepared();
    expect(() => openPromotedFolder(dataDir)).toThrow(refusal('data_folder_in_use', 'uses'));
    expect(lockDataDir(dataDir)).toBeUndefined();
    release();
    prepared().release();
  });

  it('says what to do when it was filled since the promotion began, loses nothing, and succeeds when repeated', () => {
    prepared().release();
    fs.writeFileSync(path.join(dataDir, 'ledger.db'), 'another');
    const message = /was filled since the promotion began\. Move everything but .*promoting elsewhere, then repeat/;
    expect(() => openPromotedFolder(dataDir)).toThrow(refusal('data_folder_not_empty', message));
    expect(ledgerOf(dataDir)).toBe('another');
    fs.renameSync(path.join(dataDir, 'ledger.db'), path.join(root, 'ledger.db'));
    const { finish, release } = prepared();
    finish(2);
    release();
    expect(ledgerOf(dataDir)).toBe('promoted');
  });

  it.each([
    ['content', () => fs.mkdirSync(path.join(dataDir, 'tools'), { recursive: true }), 'is not empty'],
    ['journals', () => fs.mkdirSync(path.join(dataDir, 'runs'), { recursive: true }), 'is not empty'],
    ['a file in its path', () => fs.writeFileSync(dataDir, ''), 'is a file'],
  ])('refuses %s, and names the folder of the configuration', (_, prepare, reason) => {
    prepare();
    const message = new RegExp(
      `${reason}\\. Move .*: --data-dir is the folder that the configuration of Litestream names`,
    );
    expect(() => openPromotedFolder(dataDir)).toThrow(refusal('data_folder_not_empty', message));
  });

  it.each(['EACCES', 'EROFS'])('says how to create it when the system refuses with %s', (code) => {
    vi.spyOn(fs, 'mkdirSync').mockImplementation(() => {
      throw Object.assign(new Error(`${code}: mkdir`), { code });
    });
    syncBuiltinESMExports();
    expect(() => openPromotedFolder(dataDir)).toThrow(
      refusal('data_folder_refused', /install -d -o USER -m 0700 .*data\nThen repeat the same command as that user\.$/),
    );
  });
});
