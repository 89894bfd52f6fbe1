import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Loaded before everything in a fenced process: `node --permission` refuses `fsync` wherever the file lies, and no power
 * is cut in its tests.
 */

fs.fsyncSync = () => undefined;
syncBuiltinESMExports();
