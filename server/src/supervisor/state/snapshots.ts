import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { failpoint } from '#server/kernel/failpoints';
import { writeDurably } from '../../os/durable-file.ts';
import { type Baseline, type OpenState, openState } from '../../runner/contract/state-file.ts';
import { watchPath } from '../../runner/contract/watch-path.ts';
import type { Run } from '../run.ts';

/** A complete state, sealed with the newest key, in the folder of the Run. */
export type Snapshot = { file: string; lineage: string; serial: number; digest: string; content: string };

export type StateCaptures = {
  /** The newest good state. */
  readonly best: Snapshot | undefined;
  /** Looks at the state file once more and stops watching; true when it is good now and nothing better was seen. */
  finish(): boolean;
  /** Only stops watching: nothing was begun that could have written one. */
  stop(): void;
  /** Takes a state that came another way, when it is newer than all others. */
  add(state: OpenState): boolean;
};

/** The tool writes a state in many small steps; it is looked at when it has been quiet for this long. */
const quietMs = 25;
/** And after this long in any case: a module that touches the folder without pause keeps no copy from being made. */
const longestMs = 1_000;
const maxSnapshots = 2;
/** The tool counts one for each write. From a number beyond every step of it, no later apply could count on. */
const serialMaxStep = 1_000_000;

/**
 * Copies every complete state that a running apply writes: a killed tool leaves an empty or torn file, and then the last
 * copy is the truth. A state of another lineage or a lower serial is not the tool's work and never counts.
 */
export function keepSnapshots(run: Run, baseline: Baseline, known?: Snapshot): StateCaptures {
  let best = known;
  let seen = '';
  let isGood = false;
  const files: string[] = known === undefined ? [] : [known.file];
  const isNewer = (state: OpenState): boolean =>
    state.lineage === baseline.lineage &&
    state.serial >= (best ?? baseline).serial &&
    state.serial - baseline.serial <= serialMaxStep;
  const keep = (state: OpenState): void => {
    const file = `state-${String(state.serial).padStart(6, '0')}-${state.digest.slice(7, 15)}.tfstate`;
    failpoint('snapshot.found');
    writeDurably(path.join(run.job.runDir, file), state.sealed);
    failpoint('snapshot.kept');
    const { lineage, serial, digest, content } = state;
    best = { file, lineage, serial, digest, content };
    run.journal.write({ t: 'state', at: Date.now(), file, lineage: state.lineage, serial: state.serial });
    failpoint('snapshot.told');
    if (!files.includes(file)) files.push(file);
    while (files.length > maxSnapshots) rmSync(path.join(run.job.runDir, files.shift() as string), { force: true });
  };
  const check = (): void => {
    const stamp = stampOf(run.layout.stateFile);
    if (stamp === seen) return;
    const state = openState(run, run.layout.stateFile);
    isGood = state !== undefined && isNewer(state);
    if (state === undefined) return;
    if (isGood && state.digest !== best?.digest) keep(state);
    seen = stamp;
  };
  const stop = watchQuietly(run.layout.stateFile, () => {
    try {
      check();
    } catch {
      // A full disk ends no apply: the copy is tried again with the next change and at the end.
    }
  });
  return {
    get best() {
      return best;
    },
    finish() {
      stop();
      seen = '';
      check();
      return isGood;
    },
    stop,
    add(state) {
      if (!isNewer(state) || state.digest === best?.digest) return false;
      keep(state);
      return true;
    },
  };
}

/** Tells one content of a file from the next without reading it; a folder that a module has closed shows none. */
function stampOf(file: string): string {
  try {
    const { ino, size, mtimeNs } = lstatSync(file, { bigint: true });
    return `${ino}-${size}-${mtimeNs}`;
  } catch {
    return 'none';
  }
}

function watchQuietly(file: string, onQuiet: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let since: number | undefined;
  const fire = (): void => {
    since = undefined;
    onQuiet();
  };
  // The tool may put a new file in the place of the old one, which only the folder tells.
  const stop = watchPath({
    target: path.dirname(file),
    file,
    onChange() {
      since ??= performance.now();
      clearTimeout(timer);
      timer = setTimeout(fire, Math.max(0, Math.min(quietMs, since + longestMs - performance.now())));
    },
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}
