import { createGit, type Git, type GitAccess } from '../src/drivers/git/index.ts';
import { startMessageChild } from '../src/runner/index.ts';

/** Git as the server composes it. */
export const startGit = (access: GitAccess, bounds: { stopMs?: number; most?: number } = {}): Git =>
  createGit({ ...access, processes: { start: startMessageChild, nodePath: process.execPath, ...bounds } });
