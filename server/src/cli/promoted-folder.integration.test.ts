import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { removeTree } from '../kernel/remove-tree.ts';
import { checkUnused, movePromoted } from './promoted-folder.ts';

let root: string;
let staged: string;
let dataDir: string;
beforeEach(() => {
  root = tempDir();
  dataDir = path.join(root, 'data');
  staged = `${dataDir}.promoting`;
  fs.mkdirSync(staged);
  fs.writeFileSync(path.join(staged, 'ledger.db'), 'promoted');
});
afterEach(() => removeTree(root));

const move = () => movePromoted(staged, dataDir);
const ledgerOf = (folder: string) => fs.readFileSync(path.join(folder, 'ledger.db'), 'utf8');

test.each([
  ['a missing folder', () => undefined],
  ['an empty folder', () => fs.mkdirSync(dataDir)],
])('moves a promoted ledger to %s', (_, prepare) => {
  prepare();
  move();
  expect([ledgerOf(dataDir), fs.existsSync(staged)]).toEqual(['promoted', false]);
});

test('says what to do about a folder that was filled since, loses nothing, and succeeds when repeated', () => {
  fs.mkdirSync(dataDir);
  fs.writeFileSync(path.join(dataDir, 'ledger.db'), 'another');
  expect(move).toThrow(
    expect.objectContaining({
      code: 'data_folder_not_empty',
      exitCode: 1,
      message: expect.stringMatching(/was filled during the promotion.*Move the content .* repeat the same command\.$/),
    }),
  );
  expect([ledgerOf(dataDir), ledgerOf(staged)]).toEqual(['another', 'promoted']);
  fs.renameSync(dataDir, `${dataDir}.elsewhere`);
  move();
  expect(ledgerOf(dataDir)).toBe('promoted');
});

test('says the same about a file in its path', () => {
  fs.writeFileSync(dataDir, 'a file');
  expect(move).toThrow(expect.objectContaining({ code: 'data_folder_not_empty' }));
  expect([fs.readFileSync(dataDir, 'utf8'), ledgerOf(staged)]).toEqual(['a file', 'promoted']);
});

test.each([
  ['with content', () => fs.cpSync(staged, dataDir, { recursive: true }), 'is not empty'],
  ['that is a file', () => fs.writeFileSync(dataDir, ''), 'is a file'],
])('refuses a folder %s before anything is taken', (_, prepare, reason) => {
  prepare();
  const message = expect.stringContaining(reason);
  expect(() => checkUnused(dataDir)).toThrow(expect.objectContaining({ code: 'data_folder_not_empty', message }));
});

test('reports every other error of the system as it is', () => {
  removeTree(staged);
  expect(move).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});
