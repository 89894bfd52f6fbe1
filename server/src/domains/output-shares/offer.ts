import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import { type CurrentOutputs, type StateVersionsService, typeOf } from '#server/domains/state-versions/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition, invalidArgument } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { outputSharesApi } from '#shared/output-shares/api';
import type { OutputShare, SharedOutput } from '#shared/output-shares/contract';
import { isSecretLike } from '#shared/secret-like';
import { type ShareRows, shareOf } from './share-rows.ts';
import type { OutputSharesStore, ShareRow } from './store.ts';

type NewShare = BodyOf<typeof outputSharesApi.createShare>;

export type OfferPorts = {
  db: Db;
  clock: Clock;
  store: Pick<OutputSharesStore, 'insert'>;
  workspaces: Pick<WorkspacesService, 'getWorkspace'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StateVersionsService, 'readOutputs'>;
};

/** Offers Outputs of a Capsule to another Workspace, which must accept them. */
export function createShareOffer({ db, clock, store, rows, ...deps }: OfferPorts & { rows: ShareRows }) {
  const { workspaces, capsules, states } = deps;

  /** Throws 404 for an unknown Capsule and 403 for one of another Workspace: the rule for records that a body names. */
  function requireOwn(capsuleId: string, workspaceId: string): CapsuleRow {
    const capsule = capsules.getRow(capsuleId);
    if (capsule.workspaceId !== workspaceId)
      throw new AppError('forbidden', 'This Capsule belongs to another Workspace, so only that one can share it.');
    if (capsule.status === 'destroyed')
      throw failedPrecondition('capsule_destroyed', 'This Capsule was destroyed, so it has nothing to share.');
    return capsule;
  }

  return function create(input: NewShare, actorId: string): OutputShare {
    const { fromWorkspaceId, toWorkspaceId, producerCapsuleId, outputs: requested, sensitivePolicy, ...rest } = input;
    nothingLeft(rest);
    if (requested.length === 0)
      throw invalidArgument('share_outputs_empty', 'A share names at least one Output.', { field: '/outputs' });
    const reason = sensitivePolicy?.reason;
    if (reason !== undefined && isSecretLike(reason))
      throw invalidArgument(
        'secret_like_value',
        'The reason contains something that looks like a credential. Remove it.',
        {
          field: '/sensitivePolicy/reason',
        },
      );
    workspaces.getWorkspace(toWorkspaceId);
    const producer = requireOwn(producerCapsuleId, fromWorkspaceId);
    const outputs = chooseOutputs({ outputs: requested, sensitivePolicy }, states.readOutputs(producer.id));
    const isSensitive = outputs.some(({ sensitive }) => sensitive);
    return db.write(() => {
      const row: ShareRow = {
        id: newId('share'),
        fromWorkspaceId,
        toWorkspaceId,
        producerCapsuleId: producer.id,
        outputs,
        sensitiveReason: isSensitive ? (reason ?? null) : null,
        status: 'pending',
        createdBy: actorId,
        createdAt: clock.now(),
        acceptedAt: null,
        revokedAt: null,
      };
      store.insert(row);
      rows.record(row, { workspaceId: row.fromWorkspaceId, actorId, action: 'output_share.created' });
      rows.notify(row);
      return shareOf(row);
    });
  };
}

/**
 * Returns the Outputs of a share as they are recorded. An Output that is sensitive in the module or the state stays
 * sensitive, regardless of the request.
 */
function chooseOutputs(
  { outputs, sensitivePolicy }: Pick<NewShare, 'outputs' | 'sensitivePolicy'>,
  current: CurrentOutputs | undefined,
): SharedOutput[] {
  return outputs.map(({ name, alias, sensitive: requestedSensitive }, at) => {
    const output = current?.find(name);
    if (!output)
      throw invalidArgument(
        'share_output_unknown',
        'The current state of this Capsule has no Output of this name. Apply the Capsule first, or correct the name.',
        { field: `/outputs/${at}/name` },
      );
    const sensitive = output.sensitive || requestedSensitive === true;
    if (sensitive && !sensitivePolicy)
      throw invalidArgument(
        'share_output_sensitive',
        'This Output is sensitive. Share it only with `sensitivePolicy` and a reason, or leave it out.',
        { field: `/outputs/${at}` },
      );
    const type = typeOf(output.value);
    return { name, ...(alias !== undefined && { alias }), ...(type && { type }), sensitive };
  });
}
