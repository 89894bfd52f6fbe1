import path from 'node:path';
import { applyPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeLimits } from '#shared/limits';
import type { ChangedFile, CodeDifference } from '#shared/sources/code';
import { type Files, withArchive } from '../../../test/scan-fixture.ts';
import { compareArchives } from './compare.ts';

const compare = (before: Files, after: Files, reserved?: string): Promise<CodeDifference> =>
  withArchive(before, (from) =>
    withArchive(after, async (to) => {
      const at = ({ archivePath }: { archivePath: string }) => ({
        path: archivePath,
        digest: `sha256:${path.basename(archivePath, '.tar')}`,
      });
      return compareArchives({ from: at(from), to: at(to), ...(reserved && { reserved }) });
    }),
  );
const fileOf = async (before: Files, after: Files): Promise<ChangedFile | undefined> =>
  (await compare(before, after)).files[0];

describe('a comparison of two archives', () => {
  it('lists configuration first, with its lines, and other files by name and size', async () => {
    const before = { 'main.tf': 'a = 1\nb = 2\n', 'gone.txt': 'x', 'same.tf': 's', 'z.tfvars': 'old' };
    const after = { 'main.tf': 'a = 1\nb = 3\n', 'new.tftpl': 'n\n', 'same.tf': 's', logo: Buffer.from([0, 255]) };
    const { files, fileCount } = await compare(before, after);
    expect(fileCount).toBe(5);
    const facts = (sizeBytes: number) => ({ sizeBytes, executable: false });
    expect(files).toEqual([
      {
        path: 'main.tf',
        change: 'changed',
        before: facts(12),
        after: facts(12),
        hunks: [{ beforeLine: 1, afterLine: 1, lines: [' a = 1', '-b = 2', '+b = 3'] }],
      },
      { path: 'new.tftpl', change: 'added', after: facts(2), hunks: [{ beforeLine: 1, afterLine: 1, lines: ['+n'] }] },
      {
        path: 'z.tfvars',
        change: 'removed',
        before: facts(3),
        hunks: [{ beforeLine: 1, afterLine: 1, lines: ['-old', '\\ No newline at end of file'] }],
      },
      { path: 'gone.txt', change: 'removed', before: facts(1), omitted: 'other_file' },
      { path: 'logo', change: 'added', after: facts(2), omitted: 'other_file' },
    ]);
  });

  it('joins a moved file, and no empty or copied one', async () => {
    const { files } = await compare({ 'a.tf': 'x', 'empty.tf': '' }, { 'b.tf': 'x', 'c.tf': 'x', 'other.tf': '' });
    expect(
      files.map(({ path: name, change, renamedFrom, hunks }) => [name, change, renamedFrom, hunks?.length]),
    ).toEqual([
      ['b.tf', 'renamed', 'a.tf', 0],
      ['c.tf', 'added', undefined, 1],
      ['empty.tf', 'removed', undefined, 0],
      ['other.tf', 'added', undefined, 0],
    ]);
  });

  it('never holds text of the repository manifest, moved or not', async () => {
    const secret = '{"a": "text of the manifest"}';
    const { files } = await compare(
      { '.well-known/svc.json': secret },
      { 'copy.tf.json': secret },
      '.well-known/svc.json',
    );
    expect(files).toMatchObject([{ path: 'copy.tf.json', change: 'renamed', omitted: 'reserved' }]);
    const changed = await compare({ 'm.tf.json': secret }, { 'm.tf.json': 'other text' }, 'm.tf.json');
    expect(changed.files).toMatchObject([{ omitted: 'reserved' }]);
    expect(JSON.stringify([files, changed])).not.toContain('text');
  });

  it('says of each file why its lines are left out', async () => {
    const big = 'x\n'.repeat(codeLimits.comparedFileBytes);
    expect(await fileOf({ 'a.tf': big }, { 'a.tf': 'x' })).toMatchObject({ omitted: 'file_too_large' });
    const many = 'y\n'.repeat(codeLimits.differenceLinesPerFile + 1);
    expect(await fileOf({}, { 'a.tf': many })).toMatchObject({ omitted: 'file_too_large' });
    expect(await fileOf({}, { 'a.tf': Buffer.from([0xff, 0xfe]) })).toMatchObject({ omitted: 'not_text' });
    const full = 'y\n'.repeat(codeLimits.differenceLinesPerFile - 2);
    const files = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`${index}.tf`, full + index]));
    const reasons = (await compare({}, files)).files.map(({ omitted }) => omitted);
    expect(reasons.filter((reason) => reason === 'comparison_too_large').length).toBeGreaterThan(0);
    expect(reasons.filter((reason) => reason === undefined).length).toBe(5);
  });

  it('ends in time for texts that are made to be slow, and lists no more than the limit', async () => {
    const random = (seed: number) => Array.from({ length: 40_000 }, (_, line) => (line * seed) % 977).join('\n');
    const slow = (seed: number) =>
      Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`${at}.tf`, random(seed + at)]));
    const started = performance.now();
    const { files } = await compare(slow(7919), slow(104_729));
    expect(performance.now() - started).toBeLessThan(codeLimits.differencesMs + 6_000);
    expect(files.every(({ omitted }) => omitted !== undefined)).toBe(true);
    const many = Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`f${index}.txt`, '1']));
    const listed = await compare({}, many);
    expect([listed.files.length, listed.fileCount]).toEqual([codeLimits.comparedFiles, 1_200]);
  });

  it('rebuilds the newer text from the older one and the lines', async () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '', '}', 'é'), { maxLength: 12 })
      .map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(text, text, async (old, current) => {
        const hunks = (await fileOf({ 'a.tf': old }, { 'a.tf': current }))?.hunks ?? [];
        const count = (lines: string[], sign: string) =>
          lines.filter((line) => line.startsWith(' ') || line.startsWith(sign)).length;
        const patch = hunks.map(({ beforeLine, afterLine, lines }) => ({
          oldStart: beforeLine,
          newStart: afterLine,
          oldLines: count(lines, '-'),
          newLines: count(lines, '+'),
          lines,
        }));
        expect(applyPatch(old, { hunks: patch, oldFileName: '', newFileName: '', oldHeader: '', newHeader: '' })).toBe(
          current,
        );
      }),
      { numRuns: 200 },
    );
  });
});
