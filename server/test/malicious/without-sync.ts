import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Loaded first in a fenced process: `node --permission` refuses `fsync` for every file, and its tests do not simulate
 * power cuts.
 */

fs.fsyncSync = () => undefined;
syncBuiltinESMExports();
