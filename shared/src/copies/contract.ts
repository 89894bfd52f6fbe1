import { z } from 'zod';
import { Count, Digest, DisplayName, Timestamp } from '../kernel/scalars.ts';
import { copyRevisionStatuses } from './machine.ts';

/** The repository that a copy is made of. `path` is the folder that counts as its root. */
const CopyUpstream = z.strictObject({
  url: z.string(),
  ref: z.string(),
  path: z.string(),
  /** Connection for a private repository. */
  authConnectionId: z.string().optional(),
});

/** A Git repository in the data folder that holds modules of another one with all packages that they call. */
export const Copy = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  name: DisplayName,
  upstream: CopyUpstream,
  /** The one module that the copy holds; absent for all modules of the path. */
  modulePath: z.string().optional(),
  /** Source that reads the copy; absent until its first revision has succeeded. */
  sourceId: z.string().optional(),
  /** The newest revision that succeeded, and the one that is being made or waits for approval. */
  currentRevisionId: z.string().optional(),
  openRevisionId: z.string().optional(),
  createdBy: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type Copy = z.infer<typeof Copy>;

export const packageKinds = ['registry', 'git', 'archive'] as const;

/** A program that a package contains: a provisioner or an `external` data source, with the file that declares it. */
const CopiedProgram = z.strictObject({ type: z.string(), path: z.string() });

/** A package that the copy holds. Of several versions of one package each is an entry. */
export const CopiedPackage = z.strictObject({
  kind: z.enum(packageKinds),
  /** Address as the module calls it, without credentials and without the folder in the package. */
  address: z.string(),
  /** Version constraint of the calls, or the ref of a Git package. */
  constraint: z.string().optional(),
  /** Resolved version of a package from a registry. */
  version: z.string().optional(),
  /** Address that the package was fetched from, without credentials and query. */
  url: z.string(),
  /** Resolved commit of a package from Git. */
  commit: z.string().optional(),
  /** Digest of the files of the package. */
  digest: Digest,
  sizeBytes: Count,
  /** Folder of the package in the copy. */
  path: z.string(),
  /** License file of the package, relative to `path`; absent when it has none. */
  licensePath: z.string().optional(),
  programs: z.array(CopiedProgram),
});
export type CopiedPackage = z.infer<typeof CopiedPackage>;

/** A call of a module elsewhere, in a file of the repository or of a package. */
export const CopiedCall = z.strictObject({
  /** File that contains the call, in the copy. */
  path: z.string(),
  line: Count.optional(),
  name: z.string(),
  /** Address as written, without credentials. */
  address: z.string(),
  constraint: z.string().optional(),
  /** Folder in the copy that the call leads to. */
  target: z.string(),
});
export type CopiedCall = z.infer<typeof CopiedCall>;

/** A file that the copy does not hold, with the reason in a sentence. */
const LeftOutFile = z.strictObject({ path: z.string(), reason: z.string() });

export const copyChangeKinds = ['added', 'changed', 'removed'] as const;
/** A difference from the revision before. */
const ChangedPackage = z.strictObject({
  change: z.enum(copyChangeKinds),
  address: z.string(),
  from: z.string().optional(),
  to: z.string().optional(),
});
export type ChangedPackage = z.infer<typeof ChangedPackage>;
const ChangedFile = z.strictObject({ change: z.enum(copyChangeKinds), path: z.string() });
export type ChangedFile = z.infer<typeof ChangedFile>;

/** Everything that a person reads before the commit is published. They approve its digest. */
export const CopyReview = z.strictObject({
  digest: Digest,
  packages: z.array(CopiedPackage),
  calls: z.array(CopiedCall),
  leftOut: z.array(LeftOutFile),
  programs: z.array(CopiedProgram),
  sizeBytes: Count,
  fileCount: Count,
  /** Absent for the first revision. */
  difference: z.strictObject({ packages: z.array(ChangedPackage), files: z.array(ChangedFile) }).optional(),
});
export type CopyReview = z.infer<typeof CopyReview>;

/** Error code of an update that found the content of the copy again. */
export const copyUnchanged = 'copy_unchanged';

/** One making of a copy: a first one, or an update. */
export const CopyRevision = z.strictObject({
  id: z.string(),
  copyId: z.string(),
  workspaceId: z.string(),
  status: z.enum(copyRevisionStatuses),
  /** Commit of the upstream repository. */
  upstreamCommit: z.string().optional(),
  /** Commit in the copy; known from the review on. */
  commit: z.string().optional(),
  /** While it is prepared: number of packages that were fetched so far, and address of the next one. */
  progress: z.strictObject({ packageCount: Count, address: z.string().optional() }).optional(),
  review: CopyReview.optional(),
  /** Code of a failure, and a sentence with its remedy. */
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
  approval: z.strictObject({ by: z.string(), at: Timestamp }).optional(),
  createdBy: z.string(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type CopyRevision = z.infer<typeof CopyRevision>;

/** A revision as a list returns it. */
export const CopyRevisionRow = CopyRevision.omit({ review: true });
export type CopyRevisionRow = z.infer<typeof CopyRevisionRow>;

/** Result of a look at the upstream repository and the packages; what could not be reached is a failure instead. */
export const UpstreamCheck = z.strictObject({
  hasChanged: z.boolean(),
  /** Commit that the upstream ref names now. */
  upstreamCommit: z.string(),
  /** Packages of which another version or commit fits now. */
  packages: z.array(z.strictObject({ address: z.string(), from: z.string(), to: z.string() })),
});
export type UpstreamCheck = z.infer<typeof UpstreamCheck>;
