import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { failpoint } from '#server/kernel/failpoints';
import { writeDurably } from '../../os/durable-file.ts';
import {
  type Baseline,
  digestOf,
  type OpenState,
  openStateBytes,
  readStateFile,
} from '../../runner/contract/state-file.ts';
import { watchPath } from '../../runner/contract/watch-path.ts';
import type { SupervisedRun } from '../run.ts';

/** A complete state, sealed with the newest key, in the folder of the Run. */
export type Snapshot = { file: string; lineage: string; serial: number; digest: string; content: string };

export type StateCaptures = {
  /** Newest good state. */
  readonly best: Snapshot | undefined;
  /** Reads the state file once more and stops watching. Returns true when it is good now and no better one was seen. */
  finish(): boolean;
  /** Only stops watching: no command that could have written a state was started. */
  stop(): void;
  /** Adds a state from another source, when it is newer than all others. */
  add(state: OpenState): boolean;
};

/** Milliseconds without a change before the state file is read, because the tool writes it in many small steps. */
const quietMs = 25;
/** Maximum milliseconds before it is read anyway, so that a module that changes the folder without pause cannot prevent a copy. */
const longestMs = 1_000;
const maxSnapshots = 2;
/** Maximum growth of the serial. The tool adds one for each write; after an extreme value no later apply could increase it. */
const serialMaxStep = 1_000_000;

/**
 * Copies every complete state that a running apply writes: a killed tool leaves an empty or truncated file, and then
 * the last copy is the valid one. A state of another lineage or a lower serial does not come from the tool and never
 * counts.
 */
export function keepSnapshots(run: SupervisedRun, baseline: Baseline, known?: Snapshot): StateCaptures {
  let best = known;
  let seen = '';
  /** Digest of the file whose state was judged last: a tool often ends without a change since. */
  let opened: string | undefined;
  let isGood = false;
  const files: string[] = known === undefined ? [] : [known.file];
  const isNewer = (state: OpenState): boolean =>
    state.lineage === baseline.lineage &&
    state.serial >= (best ?? baseline).serial &&
    state.serial - baseline.serial <= serialMaxStep;
  const keep = (state: OpenState): void => {
    const file = `state-${String(state.serial).padStart(6, '0')}-${state.digest.slice(7, 15)}.tfstate`;
    failpoint('snapshot.found');
    writeDurably(path.join(run.spec.runDir, file), state.sealed);
    failpoint('snapshot.kept');
    const { lineage, serial, digest, content } = state;
    best = { file, lineage, serial, digest, content };
    run.journal.write({ t: 'state', at: Date.now(), file, lineage: state.lineage, serial: state.serial });
    failpoint('snapshot.told');
    if (!files.includes(file)) files.push(file);
    while (files.length > maxSnapshots) rmSync(path.join(run.spec.runDir, files.shift() as string), { force: true });
  };
  const check = (): void => {
    const stamp = stampOf(run.layout.stateFile);
    if (stamp === seen) return;
    const bytes = readStateFile(run.layout.stateFile);
    const digest = bytes && digestOf(bytes);
    if (digest === undefined || digest !== opened) {
      opened = undefined;
      const state = bytes && openStateBytes(run, bytes);
      isGood = state !== undefined && isNewer(state);
      if (state === undefined) return;
      if (isGood && state.digest !== best?.digest) keep(state);
      opened = digest;
    }
    seen = stamp;
  };
  const stop = watchQuietly(run.layout.stateFile, () => {
    try {
      check();
    } catch {
      // A full disk does not end an apply: the copy is retried with the next change and at the end.
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

/** Returns a stamp that changes with the content of a file, without reading it; constant for a folder that a module has locked. */
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
  // The tool may replace the file by a new one, which only a watch of the folder notices.
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
