import type { CopiedCall, CopiedPackage, CopyReview, UpstreamCheck } from '#shared/copies/contract';

/** Number of packages that were fetched, and the address of the next one. */
export type RevisionProgress = { packageCount: number; address?: string };

/** Request for the content of a revision. */
export type MakeRequest = {
  workspaceId: string;
  copyId: string;
  upstream: { url: string; ref: string; path: string; connectionId: string | undefined };
  /** Commit of the upstream repository; absent for the newest one of the ref. */
  upstreamCommit: string | undefined;
  modulePath: string | undefined;
  /** Commit of the revision before, which becomes the parent of the new one. */
  parent: string | undefined;
  /** Packages of the revision before. */
  previous: readonly CopiedPackage[];
  /** Private folder for everything that the work writes. It is empty. */
  folder: string;
  signal: AbortSignal;
  onProgress: (progress: RevisionProgress) => void;
};

/** A commit that was written, with everything that a person reviews of it. */
export type CopyContent = {
  upstreamCommit: string;
  commit: string;
  /** Bare repository below the folder of the request whose branch `main` names the commit. */
  repository: string;
  packages: CopiedPackage[];
  calls: CopiedCall[];
  leftOut: CopyReview['leftOut'];
  programs: CopyReview['programs'];
  sizeBytes: number;
  /** Paths of all files, each with its mode and the id of its blob as `Git.listFiles` returns them. */
  files: ReadonlyMap<string, string>;
};

/** Fetches packages and writes commits. Both methods reject with `CopyError`, or with the reason of the signal. */
export type CopyMaker = {
  /** Writes the commit of a revision. The same upstream commit, packages and parent always give the same commit. */
  make(request: MakeRequest): Promise<CopyContent>;
  /** Looks for newer content than that of a revision, without fetching packages. */
  check(request: {
    workspaceId: string;
    upstream: MakeRequest['upstream'];
    upstreamCommit: string;
    packages: readonly CopiedPackage[];
    calls: readonly CopiedCall[];
    signal: AbortSignal;
  }): Promise<UpstreamCheck>;
};

/** The reason why content could not be made: a code, and a sentence with the remedy. */
export class CopyError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
