import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { Count } from '../kernel/scalars.ts';
import { limits } from '../limits.ts';
import { CodeComparison, CodeLine, Readme } from './code.ts';
import { SourceSnapshot } from './contract.ts';

const snapshotPath = z.strictObject({ sourceId: z.string(), sourceSnapshotId: z.string() });
const SnapshotIds = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(id('snapshot')).min(1).max(limits.pageMax));
const LineNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,6}$/)
  .transform(Number);
const snapshotLines = {
  params: snapshotPath,
  query: z.strictObject({ path: z.string().min(1).max(1_024), from: LineNumber, to: LineNumber }),
  closedQuery: true,
  replies: {
    200: z.strictObject({
      sourceSnapshotId: z.string(),
      path: z.string(),
      from: Count,
      lines: z.array(CodeLine),
      totalLines: Count,
    }),
  },
  errors: ['invalid_argument', 'failed_precondition'],
} as const;
const snapshotReadme = {
  params: snapshotPath,
  query: z.strictObject({ path: z.string().min(1).max(1_024).default('.') }),
  closedQuery: true,
  replies: { 200: z.strictObject({ sourceSnapshotId: z.string(), readme: Readme.optional() }) },
  errors: ['failed_precondition'],
} as const;

/** Commits of snapshots, and the code in their archives. */
export const codeApi = defineApi({
  getSnapshot: {
    method: 'GET',
    path: '/sources/:sourceId/snapshots/:sourceSnapshotId',
    summary: 'Read one snapshot of a Source',
    class: 'R',
    params: snapshotPath,
    replies: { 200: z.strictObject({ snapshot: SourceSnapshot }) },
  },
  listCommitSubjects: {
    method: 'GET',
    path: '/workspaces/:workspaceId/commit-subjects',
    summary: 'Subjects of the commits of snapshots, by a comma list of at most 100 ids; unknown ones are left out',
    class: 'R',
    params: z.strictObject({ workspaceId: z.string() }),
    query: z.object({ sourceSnapshotIds: SnapshotIds }),
    replies: {
      200: z.strictObject({ subjects: z.array(z.strictObject({ sourceSnapshotId: z.string(), subject: z.string() })) }),
    },
  },
  compareSnapshots: {
    method: 'GET',
    path: '/sources/:sourceId/snapshots/:sourceSnapshotId/comparison',
    summary: 'Changes of the code from another snapshot of the Source to this one',
    class: 'R',
    withoutOAuth: true,
    params: snapshotPath,
    query: z.strictObject({ from: id('snapshot') }),
    closedQuery: true,
    replies: { 200: z.strictObject({ comparison: CodeComparison }) },
    errors: ['invalid_argument', 'failed_precondition'],
  },
  getSnapshotLines: {
    method: 'GET',
    path: '/sources/:sourceId/snapshots/:sourceSnapshotId/lines',
    summary: 'Read some lines of a text file of a snapshot, at most 200 at once',
    class: 'R',
    withoutOAuth: true,
    ...snapshotLines,
  },
  getSnapshotReadme: {
    method: 'GET',
    path: '/sources/:sourceId/snapshots/:sourceSnapshotId/readme',
    summary: 'Read the README of a folder of a snapshot',
    class: 'R',
    withoutOAuth: true,
    ...snapshotReadme,
  },
});
