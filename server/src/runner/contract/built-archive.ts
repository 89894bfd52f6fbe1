import path from 'node:path';
import { archivePath } from '#server/drivers/archive/index';

/** The folder of a plan's Run that what was built for it is packed into. */
export const builtFolder = (runDir: string): string => path.join(runDir, 'built');

/** Where the archive of this digest lies in it. */
export const builtArchive = (runDir: string, digest: string): string => archivePath(builtFolder(runDir), digest);
