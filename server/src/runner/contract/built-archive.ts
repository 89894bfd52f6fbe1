import path from 'node:path';
import { archivePath } from '#server/drivers/archive/index';

/** Returns the folder of a plan's Run that holds the archive of its build. */
export const builtFolder = (runDir: string): string => path.join(runDir, 'built');

/** Returns the path of the archive with this digest. */
export const builtArchive = (runDir: string, digest: string): string => archivePath(builtFolder(runDir), digest);
