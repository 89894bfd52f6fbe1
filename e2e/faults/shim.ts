import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const source = path.join(import.meta.dirname, 'shim.c');
// A compiler without the headers of the C library is not sufficient.
const compiler = ['cc', 'gcc', 'clang'].find(
  (name) => spawnSync(name, ['-E', '-'], { input: '#include <stdio.h>\n' }).status === 0,
);

/**
 * Reason why faults cannot be simulated on this machine; undefined where they can. It is printed, so that a skipped
 * test is noticed.
 */
export const missing: string | undefined =
  process.platform !== 'linux'
    ? 'the fault shim is for Linux'
    : compiler === undefined
      ? 'no C compiler: install gcc and libc6-dev'
      : undefined;
if (missing !== undefined)
  process.stderr.write(`\n!! Tests with faults of the file system are skipped: ${missing}.\n\n`);

export type Shim = {
  /** A private folder in memory where there is one, for data folders and traces; `remove` deletes it. */
  folder: string;
  /** Environment of a server whose calls below `root` are traced or judged, and those of its supervisors. */
  environment(options: Faults): { [name: string]: string };
  remove(): void;
};
type Faults = {
  /** Absolute. */
  root: string;
  trace?: string;
  control?: string;
  /** The boot id that the processes see. */
  bootId?: string;
};

/** Builds the shim for one test file. Throws with the compiler's output when it cannot be built. */
export function buildShim(): Shim {
  const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(path.join(memory, 'groundctl-faults-'));
  const library = path.join(folder, 'shim.so');
  const built = spawnSync(compiler ?? 'cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-lpthread']);
  if (built.status !== 0) throw new Error(`The fault shim cannot be built:\n${built.stderr}`);
  let wrappers = 0;
  return {
    folder,
    environment({ root, trace, control, bootId }) {
      wrappers += 1;
      const own = path.join(folder, `env-${wrappers}`);
      mkdirSync(own);
      if (bootId !== undefined) writeFileSync(path.join(own, 'boot-id'), `${bootId}\n`);
      const faults = {
        LD_PRELOAD: library,
        FAULTS_ROOT: root,
        ...(trace !== undefined && { FAULTS_TRACE: trace }),
        ...(control !== undefined && { FAULTS_CONTROL: control }),
        ...(bootId !== undefined && { FAULTS_BOOT_ID: path.join(own, 'boot-id') }),
      };
      return { ...faults, GROUNDCTL_SUPERVISOR_NODE: writeWrapper(own, faults) };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The environment of a supervisor is built from nothing, so its Node loads the shim. The tool gets neither. */
function writeWrapper(folder: string, env: { [name: string]: string }): string {
  const file = path.join(folder, 'node');
  const exported = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  writeFileSync(file, `#!/bin/sh\n${exported.join('')}exec '${process.execPath}' "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}
