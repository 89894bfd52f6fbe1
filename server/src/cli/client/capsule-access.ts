import type { ParsedCommand } from '../options.ts';
import type { CapsuleAccess, CapsuleWork } from './capsule-work.ts';
import { findCapsule } from './capsules.ts';
import { atServer, atTerminal, type Work } from './command.ts';
import { requestExport } from './export-lines.ts';
import { operatorOf } from './operator.ts';

const kind = { whenUnread: 'goesOn' } as const;

/**
 * Creates a command about one Capsule, for the operator: it asks the server that runs on the data folder, or opens the
 * folder when none runs.
 */
export const atCapsule =
  (work: (input: CapsuleWork) => Promise<number>) =>
  async (parsed: ParsedCommand): Promise<number> => {
    // Loaded here, because it brings the code of the server.
    const { findStoppedFolder, workInFolder } = await import('./stopped-folder.ts');
    const dataDir = findStoppedFolder(parsed.options);
    if (dataDir === undefined)
      return atServer(kind, async (input) => work({ ...input, capsule: await onServer(input) }))(parsed);
    return atTerminal(kind, (input) => workInFolder(dataDir, input, work))(parsed);
  };

async function onServer({ server, args, options, signal }: Work): Promise<CapsuleAccess> {
  const operator = operatorOf(server);
  const { id: capsuleId, name } = await findCapsule(server, args[0] ?? '', options.workspace);
  const params = { capsuleId };
  return {
    name,
    export: (body) => requestExport(server, { capsuleId, body, signal }),
    readState: async (body) => (await operator.readState({ params, body })).body.state,
  };
}
