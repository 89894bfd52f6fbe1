import path from 'node:path';

/** Folders of the data folder that Runs use; `mirror` is the operator's provider mirror. */
export type Folders = {
  runs: string;
  capsules: string;
  archives: string;
  providers: string;
  mirror: string | undefined;
};
export const runDirOf = (folders: Folders, runId: string): string => path.join(folders.runs, runId);
