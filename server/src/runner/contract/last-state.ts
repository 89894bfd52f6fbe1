import { readdirSync } from 'node:fs';
import path from 'node:path';
import { isSealed, openSealed, readState } from '#server/drivers/tofu/index';
import { readPlainFile } from '../../os/durable-file.ts';
import { readBaseline } from './facts-file.ts';
import type { Job } from './job.ts';
import { readWholeJournal } from './journal.ts';
import { stateFileOf } from './layout.ts';

/** States beyond this are not taken for one. */
const stateMaxBytes = 536_870_912;
/** Copies beside those that the journal names: what a tool printed or left when it could not save its state. */
const recovered = ['emergency.tfstate', 'errored.tfstate'];

type LastStateQuery = Pick<Job, 'runDir' | 'capsuleDir'> & {
  toolName: Job['tool']['name'];
  /** Of the Capsule, base64 of 32 bytes. */
  key: string;
};

/**
 * The newest complete state of an apply whose supervisors are all gone, in clear: of the copies they kept in the folder
 * of the Run, and of the file the tool itself worked on. Only the lineage the apply began with counts, and no serial
 * below its own. Undefined when nothing of it can be read.
 */
export function findLastState({ runDir, capsuleDir, toolName, key }: LastStateQuery): string | undefined {
  const baseline = attempt(() => readBaseline(runDir));
  if (baseline === undefined) return undefined;
  const open = (bytes: Buffer) => openSealed(bytes, key).toString('utf8');
  const candidates = [...copiesIn(runDir), ...recovered].map((name) => read(path.join(runDir, name), open));
  // Only terraform leaves its state in clear; of a tool that seals, a clear one is somebody else's.
  const isOwn = (bytes: Buffer) =>
    toolName === 'terraform' && !isSealed(bytes) ? bytes.toString('utf8') : open(bytes);
  let best: { text: string; serial: number } | undefined;
  for (const candidate of [...candidates, read(stateFileOf(capsuleDir, toolName), isOwn)]) {
    if (candidate === undefined || candidate.lineage !== baseline.lineage) continue;
    if (candidate.serial >= (best ?? baseline).serial) best = candidate;
  }
  return best?.text;
}

type StateCandidate = { text: string; lineage: string; serial: number };

function read(file: string, open: (bytes: Buffer) => string): StateCandidate | undefined {
  return attempt(() => {
    const bytes = readPlainFile(file, stateMaxBytes);
    if (bytes === undefined || bytes.length === 0) return undefined;
    const text = open(bytes);
    const { lineage, serial } = readState(text);
    return { text, lineage, serial };
  });
}

/**
 * Names of the copies in the folder of a Run, by serial; then those that the journal tells of, oldest first, because it
 * knows the order of two with one serial. A journal that does not read is no reason to leave a copy lying.
 */
function copiesIn(runDir: string): string[] {
  const names =
    attempt(() =>
      readdirSync(runDir)
        .filter((name) => copyName.test(name))
        .sort(),
    ) ?? [];
  attempt(() => {
    for (const record of readWholeJournal(runDir)) if (record.t === 'state') names.push(path.basename(record.file));
  });
  return names;
}

const copyName = /^state-\d+-[0-9a-f]+\.tfstate$/;

/** What is torn, altered or missing is no state. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
