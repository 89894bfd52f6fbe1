import path from 'node:path';
import { hasMoreValuesThan, stateMaxValues } from '#server/drivers/tofu/index';
import { readPlainFile } from '#server/kernel/plain-file';
import { RunnerError } from '#server/runner/index';
import { type PlanResource, parsePlanDocument } from '#shared/plans/document';
import { digestMember } from '#shared/plans/marks';
import { takeDigests } from './sensitive-digests.ts';

/** A supervisor refuses plans of half that size. */
const documentMaxBytes = 268_435_456;

type Planned = ReturnType<typeof takeDigests> & { drift: readonly PlanResource[] };

/**
 * Reads the document of a plan from the folder of its Run, the digests of its marks, and its drift with those digests. The
 * file may come from another machine. Throws `journal_corrupt` unless it is there in its form.
 */
export function readPlanned(runDir: string, name: string): Planned {
  const bytes = readPlainFile(path.join(runDir, name), documentMaxBytes);
  if (bytes === undefined || hasMoreValuesThan(stateMaxValues, bytes)) throw unreadable();
  try {
    return parsePlanned(bytes.toString('utf8'));
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** A large plan without digests is not copied. */
function parsePlanned(text: string): Planned {
  const document = parsePlanDocument(text);
  const { drift } = document;
  return text.includes(`"${digestMember}":`) ? { ...takeDigests(document), drift } : { document, digests: [], drift };
}

const unreadable = (cause?: unknown): RunnerError =>
  new RunnerError('journal_corrupt', 'The document of the plan is missing or does not have its form. Plan again.', {
    cause,
  });
