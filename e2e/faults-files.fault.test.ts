import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readWholeJournal } from '../server/src/runner/contract/journal.ts';
import { createControl, type Kind } from './faults/control.ts';
import { createDisk } from './faults/disk.ts';
import { buildShim, missing, type Shim } from './faults/shim.ts';
import { type Change, createTrace, type Entry } from './faults/trace.ts';
import { depth } from './fixtures/depth.ts';
import { createRandom } from './fixtures/random.ts';

const child = path.join(import.meta.dirname, 'faults/child.ts');
const random = createRandom();
/** Disks that are written after each change of a write. */
const disksPerChange = depth({ quick: 20, deep: 400 });

describe.skipIf(missing !== undefined)('a file', () => {
  let shim: Shim;
  let root = '';
  beforeAll(() => {
    shim = buildShim();
  });
  beforeEach(() => {
    root = mkdtempSync(path.join(shim.folder, 'root-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  afterAll(() => shim?.remove());

  /** Starts the program under the shim and returns its output. */
  function run(args: readonly string[], faults: { trace?: string; control?: string }): string {
    const env = { PATH: process.env.PATH ?? '', ...shim.environment({ root, ...faults }) };
    const done = spawnSync(process.execPath, [child, ...args], { env, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stderr);
    return done.stdout.trim();
  }

  function record(args: readonly string[]): { entries: Change[]; printed: string } {
    const trace = createTrace(path.join(shim.folder, 'trace'));
    const printed = run(args, { trace: trace.file });
    trace.close();
    return { printed, entries: trace.read().filter(isChange) };
  }

  /** Writes disks after every change and passes them on. */
  function eachDisk(
    entries: readonly Change[],
    visit: (folder: string, after: number) => void,
    rounds = disksPerChange,
  ): void {
    const disk = createDisk();
    entries.forEach((entry, index) => {
      disk.take(entry);
      for (let round = 0; round < rounds; round += 1) {
        const folder = mkdtempSync(path.join(shim.folder, 'image-'));
        disk.cut(folder, random);
        visit(folder, index + 1);
        rmSync(folder, { recursive: true });
      }
    });
  }

  it('that is written durably has its old or its new content after a power cut, and the new one once that was reported', () => {
    const { entries, printed } = record(['durably', path.join(root, 'file'), 'first', 'second']);
    expect(printed).toBe('done done');
    const seen = new Set<string>();
    eachDisk(entries, (folder, after) => {
      const file = path.join(folder, 'file');
      const content = existsSync(file) ? readFileSync(file, 'utf8') : 'none';
      seen.add(content);
      expect(['none', 'first', 'second'], `GROUNDCTL_TEST_SEED=${random.seed}`).toContain(content);
      if (after === entries.length) expect(content).toBe('second');
    });
    expect([...seen].sort()).toEqual(['first', 'none', 'second']);
  });

  it('that is only renamed may be empty after a power cut: the model covers this fault', () => {
    const ops: [Kind, string, number, string][] = [
      ['create', 'new', 0o600, ''],
      ['write', 'new', 0, 'content'],
      ['rename', 'new', 0, 'file'],
    ];
    const entries = ops.map(
      ([kind, name, offset, data]): Change => ({
        kind,
        pid: 1,
        time: 0,
        path: name,
        inode: 7,
        offset,
        data: Buffer.from(data),
      }),
    );
    const seen = new Set<string>();
    // About one disk in five keeps both the new name and the data: 20 disks would miss it once in a hundred runs.
    const rounds = 200;
    const visit = (folder: string): void => {
      const file = path.join(folder, 'file');
      if (existsSync(file)) seen.add(readFileSync(file, 'utf8'));
    };
    eachDisk(entries, visit, rounds);
    expect(seen).toContain('');
    expect(seen).toContain('content');
  });

  it('in a new folder exists after a power cut, because its parent folders do', () => {
    const folder = path.join(root, 'a', 'b', 'c');
    const { entries } = record(['folder', folder]);
    eachDisk(entries, (image, after) => {
      if (after === entries.length) expect(existsSync(path.join(image, 'a/b/c'))).toBe(true);
    });
  });

  it.each<Kind>(['create', 'write', 'fsync', 'rename', 'fsyncFolder'])(
    'whose %s fails keeps a whole content, leaves nothing beside it, and is written the next time',
    (kind) => {
      writeFileSync(path.join(root, 'file'), 'old');
      const control = createControl(path.join(shim.folder, 'control'));
      control.set({ kinds: [kind], times: 1, error: 'EIO' });
      const printed = run(['durably', path.join(root, 'file'), 'new', 'newest'], { control: control.file });
      expect(control.clear()).toMatchObject({ struck: 1 });
      control.close();
      expect(printed).toBe('EIO done');
      expect(readFileSync(path.join(root, 'file'), 'utf8')).toBe('newest');
      expect(readdirSync(root)).toEqual(['file']);
    },
  );

  it('whose writes are partial is complete in the end', () => {
    const control = createControl(path.join(shim.folder, 'control'));
    control.set({ kinds: ['write'], error: 'EIO', isShort: true });
    const text = 'x'.repeat(10_000);
    expect(run(['durably', path.join(root, 'file'), text], { control: control.file })).toBe('done');
    control.close();
    expect(readFileSync(path.join(root, 'file'), 'utf8')).toBe(text);
  });

  it('that is a journal is written again after an fsync failed, because a second fsync alone proves nothing', () => {
    const control = createControl(path.join(shim.folder, 'control'));
    control.set({ kinds: ['fsync'], times: 1, error: 'EIO' });
    const trace = createTrace(path.join(shim.folder, 'trace'));
    mkdirSync(path.join(root, 'run'));
    expect(run(['journal', path.join(root, 'run')], { control: control.file, trace: trace.file })).toBe('EIO done');
    control.close();
    trace.close();
    const kinds = trace
      .read()
      .filter(isChange)
      .map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind !== 'fsyncFolder')).toEqual(['create', 'write', 'write', 'fsync']);
    expect([...readWholeJournal(path.join(root, 'run'))]).toMatchObject([{ t: 'state', serial: 1 }]);
  });
});

const isChange = (entry: Entry): entry is Change => entry.kind !== 'mark';
