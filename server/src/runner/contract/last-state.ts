import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { isSealed, openSealed, readState } from '#server/drivers/tofu/index';
import { readPlainFile } from '../../os/durable-file.ts';
import type { ExecutionSpec } from './execution-spec.ts';
import { readBaseline } from './facts-file.ts';
import { readWholeJournal } from './journal.ts';
import { stateFileOf } from './layout.ts';
import { recoveredStates } from './remote/run-files.ts';
import { isStateCopy } from './run-file-names.ts';

/** Larger files are not read as states. */
const stateMaxBytes = 536_870_912;

type LastStateQuery = Pick<ExecutionSpec, 'runDir' | 'capsuleDir'> & {
  toolName: ExecutionSpec['tool']['name'];
  /** Key of the Capsule, base64 of 32 bytes. */
  key: string;
};

/** A state, unencrypted, and when its file was written here. */
export type LastState = { text: string; writtenAt: number };

/**
 * Returns the newest complete state, unencrypted, of an apply without living supervisors: from the copies in the folder
 * of the Run and the file that the tool worked on. Only states of the baseline's lineage, with at least its serial, are
 * valid. Undefined when no state can be read.
 */
export function findLastState({ runDir, capsuleDir, toolName, key }: LastStateQuery): LastState | undefined {
  const baseline = attempt(() => readBaseline(runDir));
  if (baseline === undefined) return undefined;
  const open = (bytes: Buffer) => openSealed(bytes, key).toString('utf8');
  const candidates = [...copiesIn(runDir), ...recoveredStates].map((name) => read(path.join(runDir, name), open));
  // Only terraform leaves its state unencrypted; for a tool that seals, an unencrypted state is foreign.
  const isOwn = (bytes: Buffer) =>
    toolName === 'terraform' && !isSealed(bytes) ? bytes.toString('utf8') : open(bytes);
  let best: StateCandidate | undefined;
  for (const candidate of [...candidates, read(stateFileOf(capsuleDir, toolName), isOwn)]) {
    if (candidate === undefined || candidate.lineage !== baseline.lineage) continue;
    if (candidate.serial >= (best ?? baseline).serial) best = candidate;
  }
  return best && { text: best.text, writtenAt: best.writtenAt };
}

type StateCandidate = LastState & { lineage: string; serial: number };

function read(file: string, open: (bytes: Buffer) => string): StateCandidate | undefined {
  return attempt(() => {
    const bytes = readPlainFile(file, stateMaxBytes);
    if (bytes === undefined || bytes.length === 0) return undefined;
    const text = open(bytes);
    const { lineage, serial } = readState(text);
    return { text, lineage, serial, writtenAt: statSync(file).mtimeMs };
  });
}

/**
 * Lists copies in the folder of a Run by serial, then those that the journal names, oldest first, because the journal
 * knows the order of two with one serial. Copies are listed even when the journal cannot be read.
 */
function copiesIn(runDir: string): string[] {
  const names = attempt(() => readdirSync(runDir).filter(isStateCopy).sort()) ?? [];
  attempt(() => {
    for (const record of readWholeJournal(runDir)) if (record.t === 'state') names.push(path.basename(record.file));
  });
  return names;
}

/** Returns undefined for a state that is truncated, altered or missing. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
