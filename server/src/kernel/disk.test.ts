import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isLedgerFault } from './db.ts';
import { isDiskFault, makeFolder, makeWorkFolder, syncFolders, writeDurably, writeDurablyAsync } from './disk.ts';
import { AppError, readOnlyMessage } from './errors.ts';
import { asAppError } from './http/refusals.ts';
import { createLog } from './log.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'gc-disk-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('a file is written whole, private, and with nothing left beside it', () => {
  const file = path.join(dir, 'file');
  writeDurably(file, 'old');
  writeDurably(file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['file']);
});

test('a leftover link in place of the temporary file is not followed', () => {
  const other = path.join(dir, 'other');
  writeFileSync(other, 'mine');
  symlinkSync(other, path.join(dir, 'file.tmp'));
  writeDurably(path.join(dir, 'file'), 'new');
  expect(readFileSync(other, 'utf8')).toBe('mine');
});

test('a file is visible at once, before it is durable', async () => {
  const file = path.join(dir, 'file');
  const settled = writeDurablyAsync(file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  await settled;
  expect(readdirSync(dir)).toEqual(['file']);
});

test('a file that cannot be written throws at once, not when it would have become durable', () => {
  makeFolder(path.join(dir, 'folder/inside'));
  expect(() => writeDurablyAsync(path.join(dir, 'folder'), 'x')).toThrow();
  expect(() => writeDurablyAsync(path.join(dir, 'missing/file'), 'x')).toThrow('ENOENT');
});

test('folders that are gone cannot be made durable', async () => {
  await syncFolders([dir, path.dirname(dir)]);
  await expect(syncFolders([dir, path.join(dir, 'gone')])).rejects.toThrow('ENOENT');
});

test('a file that cannot be renamed leaves nothing behind', () => {
  const folder = path.join(dir, 'folder');
  makeFolder(path.join(folder, 'inside'));
  expect(() => writeDurably(folder, 'x')).toThrow();
  expect(readdirSync(dir)).toEqual(['folder']);
});

test('a folder is made with all above it, private, and may be there already', () => {
  const folder = path.join(dir, 'a/b/c');
  makeFolder(folder);
  makeFolder(folder);
  expect(existsSync(folder)).toBe(true);
  expect(statSync(path.join(dir, 'a')).mode & 0o777).toBe(0o700);
});

test('a folder for work is made like others, and below one that is missing', () => {
  const folder = path.join(dir, 'a/b');
  makeWorkFolder(folder);
  makeWorkFolder(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a folder that cannot be made says why', () => {
  writeFileSync(path.join(dir, 'file'), '');
  expect(() => makeFolder(path.join(dir, 'file/below/it'))).toThrow('EEXIST');
});

const withCode = (code: string) => Object.assign(new Error('no'), { code });
// Error that Node creates for EDQUOT, which it has no name for.
const quota = Object.assign(new Error('no'), { code: 'Unknown system error', errno: -constants.errno.EDQUOT });

test.each([
  [withCode('ENOSPC'), true],
  [withCode('EIO'), true],
  [withCode('EROFS'), true],
  [quota, true],
  [withCode('SQLITE_FULL'), true],
  [withCode('SQLITE_IOERR_FSYNC'), true],
  [withCode('SQLITE_CONSTRAINT_UNIQUE'), false],
  [withCode('ENOENT'), false],
  [new Error('no'), false],
  [null, false],
  [undefined, false],
])('an error of the disk is distinguished from others (%#)', (error, expected) => {
  expect(isDiskFault(error)).toBe(expected);
});

test('the ledger is at fault for what its library says and for its own refusal, and not for a file', () => {
  expect(isLedgerFault(withCode('SQLITE_IOERR_WRITE'))).toBe(true);
  expect(isLedgerFault(new AppError('ledger_read_only', readOnlyMessage))).toBe(true);
  expect(isLedgerFault(withCode('ENOSPC'))).toBe(false);
  expect(isLedgerFault(new AppError('conflict', 'no'))).toBe(false);
});

test.each([withCode('ENOSPC'), withCode('SQLITE_IOERR_READ'), quota])(
  'a request on a failing disk gets that error (%#)',
  (error) => {
    const log = createLog('silent');
    expect(asAppError(error, log)).toMatchObject({ code: 'ledger_read_only', status: 503 });
    expect(asAppError(withCode('ENOENT'), log)).toMatchObject({ code: 'internal_error' });
  },
);
