import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../../../test/harness.ts';
import { readPlanned } from './planned-document.ts';

const document = {
  formatVersion: '1',
  toolVersion: '1.12.6',
  summary: { add: 0, change: 0, destroy: 0 },
  resources: [],
  outputs: [],
  drift: [],
  diagnostics: [],
  resourceCount: 0,
  unchangedCount: 0,
};
const damaged = expect.objectContaining({ code: 'journal_corrupt' });
let runDir: string;
let file: string;
beforeEach(() => {
  runDir = path.join(tempDir(), 'run_1');
  mkdirSync(runDir);
  file = path.join(runDir, 'plan.json');
});
const read = () => readPlanned(runDir, 'plan.json');

function makeLarge(): void {
  writeFileSync(file, '');
  truncateSync(file, 268_435_457);
}

describe('the document of a plan', () => {
  test('is read from the folder of its Run', () => {
    writeFileSync(file, JSON.stringify(document));
    expect(read()).toEqual({ document, digests: [], drift: [] });
  });

  test.each([
    ['missing', () => {}],
    ['a folder', () => mkdirSync(file)],
    ['not JSON', () => writeFileSync(file, '{')],
    ['of another form', () => writeFileSync(file, JSON.stringify({ ...document, resources: [1] }))],
    ['nested without end', () => writeFileSync(file, '['.repeat(1_000_000))],
    ['larger than any plan', makeLarge],
  ])('that is %s is damage of the journal', (_what, write) => {
    write();
    expect(read).toThrow(damaged);
  });

  test.runIf(process.platform !== 'win32')('is never read through a link, or from a device or FIFO', () => {
    const other = path.join(path.dirname(runDir), 'other.json');
    writeFileSync(other, JSON.stringify(document));
    symlinkSync(other, file);
    expect(read).toThrow(damaged);
    execFileSync('mkfifo', [path.join(runDir, 'fifo')]);
    expect(() => readPlanned(runDir, 'fifo')).toThrow(damaged);
    expect(() => readPlanned('/dev', 'zero')).toThrow(damaged);
  });
});
