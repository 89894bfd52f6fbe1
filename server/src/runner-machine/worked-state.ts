import { statSync } from 'node:fs';
import path from 'node:path';
import { encryptionNames, isSealed, sealState } from '#server/drivers/tofu/index';
import { writeDurably } from '#server/kernel/disk';
import { journalFile, openJournal } from '../runner/contract/journal.ts';
import { stateFileOf } from '../runner/contract/layout.ts';
import { capsuleDir, type Folders } from '../runner/contract/placement.ts';
import { workedState } from '../runner/contract/remote/run-files.ts';
import { readStateFile } from '../runner/contract/state-file.ts';
import type { Job } from '../runner/index.ts';

/**
 * Copies the state that the tool of a lost apply worked on into the folder of its Run, sealed, and writes that to the
 * journal, which has no other writer any more. Returns the name of the copy and the new end of the journal; undefined when
 * there is no state.
 */
export function keepWorkedState(job: Job, { folders, runDir }: { folders: Folders; runDir: string }) {
  const bytes = readStateFile(stateFileOf(capsuleDir(folders, job.capsuleId), job.tool.name));
  if (bytes === undefined) return undefined;
  const { encryptionKey: key } = job.sealing;
  const sealed = isSealed(bytes) ? bytes : sealState(bytes.toString('utf8'), key, encryptionNames(key));
  writeDurably(path.join(runDir, workedState), sealed);
  const journal = openJournal(runDir);
  const text = 'No supervisor could conclude this apply. The state file of its tool was saved as it was found.';
  journal.write({ t: 'log', at: Date.now(), phase: 'apply', stream: 'system', level: 'warn', text });
  journal.close();
  return { name: workedState, end: statSync(journalFile(runDir)).size };
}
