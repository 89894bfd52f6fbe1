import { rmSync } from 'node:fs';
import path from 'node:path';
import { writeAtomically } from '#server/kernel/disk';

/** Name of the file that a data folder has from the join of its machine to the end of its process, for the probes of a container. */
export const readyFileName = 'runner-ready';

const readyFile = (dataDir: string): string => path.join(dataDir, readyFileName);

export const markReady = (dataDir: string): void => writeAtomically(readyFile(dataDir), '');

/** Removes the file. A killed machine leaves it, so each start does so first. */
export const unmarkReady = (dataDir: string): void => rmSync(readyFile(dataDir), { force: true });
