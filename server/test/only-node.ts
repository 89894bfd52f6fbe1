import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/*
 * Loaded before each unit test file: a unit test that starts a process or listens at a port fails at that line. Workers are allowed.
 */

const refuse = (what: string) => (): never => {
  throw new Error(`A unit test must not ${what}. End the name of its file in .integration.test.ts instead.`);
};

const startProcess = refuse('start a process');
Object.assign(ChildProcess.prototype, { spawn: startProcess });
Object.assign(childProcess, { spawnSync: startProcess, execFileSync: startProcess, execSync: startProcess });
syncBuiltinESMExports();
net.Server.prototype.listen = refuse('listen at an address');
