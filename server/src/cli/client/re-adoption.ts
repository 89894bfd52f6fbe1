import { randomUUID } from 'node:crypto';
import type { Capsule } from '#shared/capsules/contract';
import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import type { Json, JsonObject } from '#shared/kernel/json';
import type { SourceSnapshot } from '#shared/sources/contract';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { CommandError, exitCodes, wrongUse } from '../exit-codes.ts';
import { findCapsule } from './capsules.ts';
import { atServer } from './command.ts';
import { findRow } from './pages.ts';
import type { Server } from './server.ts';
import { fitValues, readTypedValues } from './values.ts';

type Target = { snapshotId: string; declarations: readonly VariableDeclaration[] };

/** Moves the configuration of a Capsule to another snapshot of its Source. Nothing is planned. */
export const runReAdopt = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, options, args }) => {
  const [named = '', ...pairs] = args;
  const { reason, snapshot, unset = [] } = options;
  if (reason === undefined) throw wrongUse('Say why with --reason TEXT.');
  const typed = readTypedValues({ ...options, var: pairs });
  const capsule = await findCapsule(server, named, options.workspace);
  const { capsule: record, installConfigReAdoption } = (
    await server.api.getCapsule({ params: { capsuleId: capsule.id } })
  ).body;
  const target = await readTarget(server, record, snapshot);
  const isReviewed = typed.texts.size + typed.files.size + unset.length > 0;
  const { variables } = fitValues({ ...target, typed, secretTexts: new Map() });
  const body = {
    baseInstallConfigId: record.installConfigId,
    sourceSnapshotId: target.snapshotId,
    reason,
    ...(isReviewed && {
      reviewedUserVariables: (await reviewed(server, record, { target, variables, unset })) as never,
    }),
    expected: { authorityGuard: installConfigReAdoption.authorityGuard },
  };
  const key = { 'idempotency-key': randomUUID() };
  const answer = (await server.api.reAdopt({ params: { capsuleId: record.id }, body }, key)).body;
  if (terminal.isJson) terminal.document(answer);
  else terminal.say(`${record.name} has the configuration ${answer.installConfigReAdoption.targetInstallConfigId}.`);
  terminal.note(`Nothing was planned. Review the change: ${server.link(`/capsules/${record.id}`)}`);
  return exitCodes.done;
});

/** Checks the named snapshot, or the newest one of the ref and path that the Capsule follows. */
async function readTarget({ api }: Server, capsule: Capsule, named: string | undefined): Promise<Target> {
  const { sourceId } = capsule;
  const snapshotId = named ?? (await findNewestSnapshot(api, capsule))?.id;
  if (snapshotId === undefined)
    throw new CommandError('The Source of this Capsule has no snapshot. Sync it first: groundctl sources sync SOURCE', {
      exitCode: exitCodes.failed,
      code: 'source_sync_required',
    });
  const modulePath = await readModulePath(api, capsule);
  const check = { sourceSnapshotId: snapshotId, ...(modulePath !== undefined && { modulePath }) };
  const { report } = (await api.checkCompatibility({ params: { sourceId }, body: check })).body;
  return { snapshotId, declarations: report.rootModuleVariableDeclarations ?? [] };
}

const findNewestSnapshot = (
  api: Server['api'],
  { sourceId, adoptedSourceRevision: adopted }: Capsule,
): Promise<SourceSnapshot | undefined> =>
  findRow(
    async (query) => {
      const { snapshots, nextCursor } = (await api.listSnapshots({ params: { sourceId }, query })).body;
      return { rows: snapshots, nextCursor };
    },
    ({ ref, path }) => !adopted || (ref === adopted.ref && path === adopted.path),
  );

async function readModulePath(api: Server['api'], { compatibilityReportId }: Capsule): Promise<string | undefined> {
  if (compatibilityReportId === undefined) return undefined;
  return (await api.getReport({ params: { reportId: compatibilityReportId } })).body.report.modulePath;
}

/** Returns the whole set of inputs that are not secret: the values that a person has set, with the changes. */
async function reviewed(
  { api }: Server,
  { id: capsuleId }: Capsule,
  { target, variables, unset }: { target: Target; variables: Record<string, Json>; unset: readonly string[] },
): Promise<JsonObject> {
  const { configuration } = (await api.getConfiguration({ params: { capsuleId } })).body;
  const stays = setValues(configuration).filter(
    ([name]) => !unset.includes(name) && target.declarations.some((declared) => declared.name === name),
  );
  return { ...Object.fromEntries(stays), ...variables };
}

const setValues = ({ inputs }: CapsuleConfiguration): [string, Json][] =>
  inputs.flatMap(({ name, changeable, configured, secret, value }): [string, Json][] =>
    changeable && configured && !secret && value.status === 'shown' ? [[name, value.value as Json]] : [],
  );
