import { structuredPatch } from 'diff';
import { readArchive } from '#server/drivers/archive/index';
import { codeLimits } from '#shared/limits';
import type { ChangedFile, CodeDifference, CodeHunk, OmittedReason } from '#shared/sources/code';
import { type Difference, listDifferences } from './compared-files.ts';
import { decodeText } from './text.ts';
import type { ArchiveAt, CompareRequest } from './types.ts';

/** Configuration of the tools and templates that it reads. */
const configuration = /(?:\.(?:tf|tofu|tfvars)(?:\.json)?|\.hcl|\.tftpl|\.tpl|\.tmpl)$/i;

/** Amounts that one comparison may still use. */
type Budget = { bytes: number; lines: number; length: number; until: number };

/**
 * Compares the files of two archives, and the lines of their configuration. Work and answer are bounded: a file whose
 * lines are left out says why. Synchronous: call it off the server thread. Throws `ArchiveError`.
 */
export function compareArchives({ from, to, reserved }: CompareRequest): CodeDifference {
  const differences = listDifferences(from, to);
  const isFirst = ({ path }: Difference): boolean => configuration.test(path);
  const ordered = [...differences.filter(isFirst), ...differences.filter((file) => !isFirst(file))];
  const listed = ordered.slice(0, codeLimits.comparedFiles);
  const budget: Budget = {
    bytes: codeLimits.comparedBytes,
    lines: codeLimits.differenceLines,
    length: codeLimits.differenceLength,
    until: performance.now() + codeLimits.differencesMs,
  };
  const planned = listed.map((file) => ({ file, omitted: omittedOf(file, { reserved, budget }) }));
  const paths = new Set(planned.filter(({ omitted }) => omitted === undefined).map(({ file }) => file.path));
  const texts = { before: readTexts(from, paths), after: readTexts(to, paths) };
  const files = planned.map(({ file, omitted }) => {
    const lines = omitted === undefined ? linesOf(file, texts, budget) : { omitted };
    return { ...factsOf(file), ...(hasLines(file) || omitted !== 'other_file' ? lines : {}) };
  });
  return { files, fileCount: differences.length };
}

/** Reports whether the content of a file differs: not after a rename or a change of its mode alone. */
const hasLines = ({ before, after }: Difference): boolean => before?.digest !== after?.digest;

function omittedOf(
  file: Difference,
  { reserved, budget }: { reserved: string | undefined; budget: Budget },
): OmittedReason | undefined {
  if (reserved !== undefined && [file.path, file.renamedFrom].includes(reserved)) return 'reserved';
  if (!configuration.test(file.path)) return 'other_file';
  if (!hasLines(file)) return undefined;
  const bytes = Math.max(file.before?.sizeBytes ?? 0, file.after?.sizeBytes ?? 0);
  if (bytes > codeLimits.comparedFileBytes) return 'file_too_large';
  if (bytes > budget.bytes) return 'comparison_too_large';
  budget.bytes -= bytes;
  return undefined;
}

/** Contents by path; undefined is not text. */
type Texts = ReadonlyMap<string, string | undefined>;

function readTexts({ path, digest }: ArchiveAt, paths: ReadonlySet<string>): Texts {
  if (paths.size === 0) return new Map();
  const files = [...readArchive(path, { digest, filter: (file) => paths.has(file) })];
  return new Map(files.map((file) => [file.path, decodeText(file.bytes)]));
}

function linesOf(
  file: Difference,
  { before, after }: { before: Texts; after: Texts },
  budget: Budget,
): Pick<ChangedFile, 'hunks' | 'omitted'> {
  if (!hasLines(file)) return { hunks: [] };
  const [old, current] = [file.before && before.get(file.path), file.after && after.get(file.path)];
  if ((file.before && old === undefined) || (file.after && current === undefined)) return { omitted: 'not_text' };
  const timeout = Math.min(codeLimits.differenceMs, budget.until - performance.now());
  if (timeout <= 0) return { omitted: 'comparison_too_large' };
  const patch = structuredPatch('', '', old ?? '', current ?? '', '', '', { context: 3, timeout });
  if (patch === undefined) return { omitted: 'file_too_large' };
  return fitting(patch.hunks, budget);
}

type Hunk = { oldStart: number; newStart: number; lines: string[] };

/** Takes the lines of one file from the budget, or leaves them out whole. */
function fitting(hunks: readonly Hunk[], budget: Budget): Pick<ChangedFile, 'hunks' | 'omitted'> {
  const lines = hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  const length = hunks.reduce((sum, hunk) => hunk.lines.reduce((total, line) => total + line.length, sum), 0);
  if (lines > codeLimits.differenceLinesPerFile) return { omitted: 'file_too_large' };
  if (lines > budget.lines || length > budget.length) return { omitted: 'comparison_too_large' };
  budget.lines -= lines;
  budget.length -= length;
  return {
    hunks: hunks.map(
      ({ oldStart, newStart, lines: of }): CodeHunk => ({
        beforeLine: oldStart,
        afterLine: newStart,
        lines: of,
      }),
    ),
  };
}

function factsOf({ before, after, ...file }: Difference): ChangedFile {
  const facts = ({ sizeBytes, executable }: NonNullable<Difference['before']>) => ({ sizeBytes, executable });
  return { ...file, ...(before && { before: facts(before) }), ...(after && { after: facts(after) }) };
}
