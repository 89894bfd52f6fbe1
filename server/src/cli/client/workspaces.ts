import type { WorkspaceDeletion, WorkspaceDeletionPreview } from '#shared/workspace-deletions/contract';
import { exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { atServer } from './command.ts';
import { findWorkspace } from './server.ts';
import type { Terminal } from './terminal.ts';
import { oneLine } from './text.ts';

type Capsules = WorkspaceDeletionPreview['capsulesWithResources'];

/** Shows what the deletion of a Workspace does, and deletes it when its handle is typed or given. */
export const runWorkspacesDelete = atServer(
  { whenUnread: 'goesOn' },
  async ({ server, terminal, options, args: [named = ''], signal, leaves }) => {
    leaves.message = 'Nothing was deleted.';
    const { id: workspaceId } = await findWorkspace(server, named);
    const { preview } = (await server.api.previewWorkspaceDeletion({ params: { workspaceId } })).body;
    for (const line of describePreview(preview)) terminal.note(line);
    const leaveCapsuleIds = findLeft(preview.capsulesWithResources, options.leave ?? []);
    if (leaveCapsuleIds.length < preview.capsulesWithResources.length)
      throw failed(
        'workspace_capsules_changed',
        'Capsules have resources. Destroy each one with a destroy plan, or leave its resources in place with --leave CAPSULE.',
      );
    const confirmHandle = options.confirm ?? (await readHandle(terminal, preview.handle, signal));
    const endShares = options['end-shares'] === true;
    const body = { workspaceId, confirmHandle, leaveCapsuleIds, ...(endShares && { endShares }) };
    const { deletion } = (await server.api.deleteWorkspace({ body })).body;
    if (terminal.isJson) terminal.document({ deletion });
    else for (const line of describeDeletion(deletion)) terminal.say(line);
    return exitCodes.done;
  },
);

async function readHandle(terminal: Terminal, handle: string, signal: AbortSignal): Promise<string> {
  if (!terminal.isInteractive) throw wrongUse('Confirm the deletion with --confirm HANDLE.');
  const typed = await terminal.prompt(`Type ${handle} to delete this Workspace: `, signal);
  if (typed?.trim() !== handle) throw failed('handle_mismatch', 'This is not its handle. Nothing was deleted.');
  return handle;
}

/** Returns the ids of Capsules that are named by id or name. A name that two Capsules have is refused. */
function findLeft(capsules: Capsules, names: readonly string[]): string[] {
  const ids = names.map((name) => {
    const matches = capsules.filter((capsule) => capsule.id === name || capsule.name === name);
    const [match] = matches;
    if (!match) throw wrongUse(`No Capsule with resources is called "${name}".`);
    if (matches.length > 1) throw wrongUse(`Several Capsules are called "${name}". Use their ids.`);
    return match.id;
  });
  return [...new Set(ids)];
}

function describePreview({ displayName, capsulesWithResources, sharesInUse, deletes }: WorkspaceDeletionPreview) {
  const { capsules, stateVersions, runs, sources, connections, webhooks, members, tokens, formResources } = deletes;
  return [
    `Deleting ${oneLine(displayName)} removes ${capsules} Capsules with ${stateVersions} states, ${runs} Runs, ${sources} Sources,`,
    `${connections} Connections, ${webhooks} webhooks, ${members} members and ${tokens} tokens, and destroys their keys.`,
    ...(formResources > 0
      ? [`It also removes ${formResources} Resources of the form host with their native objects.`]
      : []),
    ...capsulesWithResources.map(
      ({ id, name, status, resourceCount }) =>
        `  ${oneLine(name)} (${id}, ${status}): ${resourceCount ?? 'unknown'} resources would be left in place`,
    ),
    ...sharesInUse.map(
      ({ capsuleName, toWorkspaceId, outputs }) =>
        `  Workspace ${toWorkspaceId} uses ${outputs.map(oneLine).join(', ')} of ${oneLine(capsuleName)} (--end-shares ends it)`,
    ),
  ];
}

const describeDeletion = ({ displayName, leftCapsules, remains, workspaceId }: WorkspaceDeletion): string[] => [
  `${oneLine(displayName)} is deleted and its keys are destroyed. Its rows and files are removed in the background.`,
  ...leftCapsules.map(({ name, id }) => `  Left in place: the resources of ${oneLine(name)} (${id})`),
  `What remains: ${remains.auditEvents} rows of the audit trail, and the id ${workspaceId} with its name.`,
];
