import { z } from 'zod';
import { Count } from '../kernel/scalars.ts';
import { SnapshotCommit } from './contract.ts';

/** One line of a file, without its end; `isCut` marks a line of which only the first 2,000 characters are sent. */
export const CodeLine = z.strictObject({ text: z.string(), isCut: z.literal(true).optional() });
export type CodeLine = z.infer<typeof CodeLine>;

/** README of a folder; `isCut` marks one of which only the whole lines of its first 131,072 bytes are sent. */
export const Readme = z.strictObject({
  path: z.string(),
  text: z.string(),
  sizeBytes: Count,
  isCut: z.literal(true).optional(),
});
export type Readme = z.infer<typeof Readme>;

/**
 * Reasons why the lines of a file are not part of a comparison. `other_file` is not configuration, and `reserved` is the
 * repository manifest.
 */
export const omittedReasons = ['other_file', 'reserved', 'not_text', 'file_too_large', 'comparison_too_large'] as const;
export type OmittedReason = (typeof omittedReasons)[number];

const FileFacts = z.strictObject({ sizeBytes: Count, executable: z.boolean() });
/** Neighboring lines: each begins with a space, `-` or `+`, or is `\ No newline at end of file`. */
const CodeHunk = z.strictObject({ beforeLine: Count, afterLine: Count, lines: z.array(z.string()) });
export type CodeHunk = z.infer<typeof CodeHunk>;

/**
 * One file that differs. `renamedFrom` is the path of a file with the same content and mode; `hunks` is empty where only
 * the name or mode differs.
 */
export const ChangedFile = z.strictObject({
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed', 'renamed']),
  renamedFrom: z.string().optional(),
  before: FileFacts.optional(),
  after: FileFacts.optional(),
  hunks: z.array(CodeHunk).optional(),
  omitted: z.enum(omittedReasons).optional(),
});
export type ChangedFile = z.infer<typeof ChangedFile>;

/** Configuration files come first, then the others, each by path. `fileCount` counts those beyond the limit too. */
export const CodeDifference = z.strictObject({ files: z.array(ChangedFile), fileCount: Count });
export type CodeDifference = z.infer<typeof CodeDifference>;

/** One end of a comparison. */
const ComparedSnapshot = z.strictObject({
  sourceSnapshotId: z.string(),
  resolvedCommit: z.string(),
  commit: SnapshotCommit.optional(),
});
/** Changes of the code between two snapshots; nothing is known of the commits between them. */
export const CodeComparison = z.strictObject({
  from: ComparedSnapshot,
  to: ComparedSnapshot,
  ...CodeDifference.shape,
});
export type CodeComparison = z.infer<typeof CodeComparison>;
