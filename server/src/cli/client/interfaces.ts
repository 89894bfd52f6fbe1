import type { Interface, InterfaceBinding, Provenance, SubjectRef } from '#shared/interfaces/contract';
import { wellKnownInterfaces, wellKnownKindOf } from '#shared/interfaces/well-known';
import { idPrefix } from '#shared/kernel/id';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import { findCapsule } from './capsules.ts';
import { atServer, type Work } from './command.ts';
import { readAll } from './pages.ts';
import { findWorkspace, type Server } from './server.ts';
import { oneLine, tableText } from './text.ts';

/** Interfaces of a Workspace or of one Capsule, oldest first. */
export const runInterfacesList = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const { type, all = false } = options;
  const capsule =
    options.capsule === undefined ? undefined : await findCapsule(server, options.capsule, options.workspace);
  const workspaceId = capsule?.workspaceId ?? (await findWorkspace(server, options.workspace)).id;
  const interfaces = await listInterfaces(server, workspaceId, {
    ...(type !== undefined && { type }),
    ...(capsule && { ownerKind: 'Capsule' as const, ownerId: capsule.id }),
    ...(all && { includeRetired: 'true' as const }),
  });
  if (terminal.isJson) terminal.document({ interfaces });
  else if (interfaces.length === 0) terminal.say('There are no such Interfaces.');
  else for (const line of linesOf(interfaces, terminal.paint)) terminal.say(line);
  return exitCodes.done;
});

/** Shows an Interface: its address, where its values come from, and who may use it. */
export const runInterfacesShow = atServer(
  { whenUnread: 'stops' },
  async ({ server, terminal, options, args: [named = ''] }) => {
    const shown = await findInterface(server, named, options.workspace);
    const { bindings } = (await server.api.listInterfaceBindings({ params: { interfaceId: shown.id } })).body;
    const live = bindings.filter(({ status }) => status.phase !== 'Revoked');
    if (terminal.isJson) terminal.document({ interface: shown, bindings: live });
    else for (const line of showText(shown, live, terminal.paint)) terminal.say(line);
    if (!terminal.isJson) terminal.say(server.link(`/interfaces/${shown.id}`));
    return exitCodes.done;
  },
);

/** Allows an account, a Capsule or a Resource to use an Interface, with the permission that clients of its type need. */
export const runInterfacesGrant = atServer(
  { whenUnread: 'goesOn' },
  async ({ server, terminal, options, args: [named = '', subject = ''] }) => {
    const { id: interfaceId, name, spec, workspaceId } = await findInterface(server, named, options.workspace);
    const kind = wellKnownKindOf(spec.type);
    const permissions = options.permission ?? (kind && [wellKnownInterfaces[kind].permission]);
    if (!permissions)
      throw wrongUse('Name what is allowed with --permission, as the type of the Interface defines it.');
    const body = {
      subjectRef: await findSubject(server, subject, workspaceId),
      permissions,
      delivery: { type: options.delivery ?? (kind === 'mcp' ? 'oauth2' : 'none') },
    };
    const binding = (await server.api.createInterfaceBinding({ params: { interfaceId }, body })).body;
    if (terminal.isJson) terminal.document({ binding });
    else
      terminal.say(`${oneLine(subject)} may use ${oneLine(name)} (${binding.metadata.id}): ${bindingState(binding)}.`);
    return exitCodes.done;
  },
);

/** Revokes a binding. A repeated call gives the same result. */
export const runInterfacesRevoke = atServer(
  { whenUnread: 'goesOn' },
  async ({ server, terminal, options, args: [named = '', bindingId = ''] }) => {
    const { id: interfaceId, name } = await findInterface(server, named, options.workspace);
    const binding = (await server.api.revokeInterfaceBinding({ params: { interfaceId, bindingId } })).body;
    if (terminal.isJson) terminal.document({ binding });
    else terminal.say(`${bindingId} of ${oneLine(name)} is revoked.`);
    return exitCodes.done;
  },
);

type Filter = { type?: string; ownerKind?: 'Capsule'; ownerId?: string; includeRetired?: 'true' };
const listInterfaces = (server: Pick<Server, 'api'>, workspaceId: string, filter: Filter): Promise<Interface[]> =>
  readAll(async (page) => {
    const { body } = await server.api.listInterfaces({ query: { workspaceId, ...filter, ...page } });
    return { rows: body.interfaces, nextCursor: body.nextCursor };
  });

/** Returns the Interface of an id, or of a name in the Workspace, where names are unique. */
async function findInterface(server: Server, named: string, workspaceName: string | undefined): Promise<Interface> {
  if (named.startsWith('if_')) return (await server.api.getInterface({ params: { interfaceId: named } })).body;
  const workspace = await findWorkspace(server, workspaceName);
  const found = (await listInterfaces(server, workspace.id, {})).find(({ name }) => name === named);
  if (found) return found;
  throw wrongUse(`There is no Interface "${oneLine(named)}". List them with: groundctl interfaces list`);
}

/** Returns the member of an account id or e-mail address, or the Capsule or Resource of an id. */
async function findSubject({ api }: Server, named: string, workspaceId: string): Promise<SubjectRef> {
  if (named.startsWith(idPrefix.capsule)) return { kind: 'Capsule', id: named };
  if (named.startsWith(idPrefix.formResource)) return { kind: 'Resource', id: named };
  const { members } = (await api.listMembers({ params: { workspaceId } })).body;
  const member = members.find(
    ({ accountId, email, status }) => status === 'active' && [accountId, email].includes(named),
  );
  if (member) return { kind: 'Principal', id: member.accountId };
  throw wrongUse(
    `"${oneLine(named)}" is not the e-mail address or id of a member, nor the id of a Capsule or Resource.`,
  );
}

const addressOf = ({ spec, status }: Interface): string => {
  const value = status.resolvedInputs?.[spec.access.resourceUriInput ?? 'endpoint'];
  return typeof value === 'string' ? oneLine(value) : '';
};
const ownerText = ({ ownerRef: { kind, id } }: Interface): string => (kind === 'Workspace' ? kind : id);

const linesOf = (interfaces: readonly Interface[], paint: Work['terminal']['paint']): string[] =>
  tableText(
    ['INTERFACE', 'NAME', 'TYPE', 'PHASE', 'OWNER', 'ADDRESS'],
    interfaces.map((one) => [one.id, one.name, one.spec.type, one.status.phase, ownerText(one), addressOf(one)]),
    paint,
  );

function showText(shown: Interface, bindings: readonly InterfaceBinding[], paint: Work['terminal']['paint']): string[] {
  const { name, spec, status } = shown;
  const reason = status.conditions?.find(({ type, message }) => type === 'Ready' && message !== undefined);
  const values = Object.keys(spec.inputs ?? {}).map((key) => [
    key,
    oneLine(JSON.stringify(status.resolvedInputs?.[key] ?? null)),
    originText(status.provenance?.[key]),
  ]);
  const users = bindings.map((one) => [
    one.metadata.id,
    one.spec.subjectRef.id,
    one.spec.permissions.join(' '),
    bindingState(one),
  ]);
  return [
    `${oneLine(name)} (${spec.type} ${spec.version}) ${status.phase}`,
    ...(reason?.message === undefined ? [] : [`${reason.reason}: ${oneLine(reason.message)}`]),
    ...(values.length > 0 ? tableText(['INPUT', 'VALUE', 'FROM'], values, paint) : []),
    ...(users.length > 0 ? tableText(['BINDING', 'SUBJECT', 'PERMISSIONS', 'STATUS'], users, paint) : []),
  ];
}

function originText(provenance: Provenance | undefined): string {
  if (provenance?.source === 'capsule_output')
    return `Output ${provenance.outputName}, ${provenance.stateVersionId ?? provenance.outputId}`;
  if (provenance?.source === 'resource_output') return resourceText(provenance);
  return provenance?.source ?? '';
}

const resourceText = ({ outputName, resourceId, resourceGeneration }: Provenance & { source: 'resource_output' }) =>
  `${outputName === undefined ? 'Output' : `Output ${outputName}`}, ${resourceId}, generation ${resourceGeneration}`;

/** Phase of a binding, with the reason when it is not ready. */
function bindingState({ status: { phase, conditions } }: InterfaceBinding): string {
  const reason = conditions?.find(({ type }) => type === 'Ready')?.reason;
  return reason === undefined ? phase : `${phase}, ${reason}`;
}
