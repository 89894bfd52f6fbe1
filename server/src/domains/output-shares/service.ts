import type { ActivityService } from '#server/domains/activity/index';
import type { CapsuleRow, CapsulesService } from '#server/domains/capsules/index';
import { type CurrentOutputs, type StateVersionsService, typeOf } from '#server/domains/state-versions/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition, invalidArgument, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { Outbox } from '#server/kernel/outbox';
import { afterCreated, type Cursors, createdOf, type PageQuery, readPage } from '#server/kernel/page';
import type { ActivityAction } from '#shared/activity/actions';
import { next } from '#shared/kernel/machine';
import { type OutputShare, type SharedOutput, seenName } from '#shared/output-shares/contract';
import { type ShareEvent, shareMachine } from '#shared/output-shares/machine';
import { isSecretLike } from '#shared/secret-like';
import type { OutputSharesStore, ShareRow } from './store.ts';

export type OutputSharesService = ReturnType<typeof createOutputSharesService>;
export type NewShare = {
  fromWorkspaceId: string;
  toWorkspaceId: string;
  producerCapsuleId: string;
  outputs: readonly { name: string; alias?: string | undefined; sensitive?: boolean | undefined }[];
  sensitivePolicy?: { allow: true; reason: string } | undefined;
};

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  store: OutputSharesStore;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'requireLive' | 'getWorkspace'>;
  capsules: Pick<CapsulesService, 'getRow'>;
  states: Pick<StateVersionsService, 'readOutputs'>;
};

const actions = { approve: 'output_share.approved', revoke: 'output_share.revoked' } as const;

/**
 * Shares of Outputs from one Workspace to another. A share names Outputs and holds no value: values are read when a
 * plan is created.
 */
export function createOutputSharesService(deps: Deps) {
  const { db, clock, cursors, outbox, store, activity, workspaces, capsules, states } = deps;

  function getRow(id: string): ShareRow {
    const row = store.find(id);
    if (!row) throw notFound('OutputShare');
    return row;
  }

  /** Notifies both Workspaces, because both show the share. */
  function notify({ id, fromWorkspaceId, toWorkspaceId, status }: ShareRow): void {
    for (const workspaceId of new Set([fromWorkspaceId, toWorkspaceId]))
      outbox.push({ workspaceId, kind: 'output_share', recordId: id, status });
  }

  const record = (row: ShareRow, entry: { workspaceId: string; actorId: string; action: ActivityAction }) =>
    activity.record({
      ...entry,
      targetType: 'output_share',
      targetId: row.id,
      metadata: {
        producerCapsuleId: row.producerCapsuleId,
        fromWorkspaceId: row.fromWorkspaceId,
        toWorkspaceId: row.toWorkspaceId,
        outputs: row.outputs.map(seenName),
        ...(row.sensitiveReason !== null && { sensitiveReason: row.sensitiveReason }),
      },
    });

  /** Throws 404 for an unknown Capsule and 403 for one of another Workspace: the rule for records that a body names. */
  function requireOwn(capsuleId: string, workspaceId: string): CapsuleRow {
    const capsule = capsules.getRow(capsuleId);
    if (capsule.workspaceId !== workspaceId)
      throw new AppError('forbidden', 'This Capsule belongs to another Workspace, so only that one can share it.');
    if (capsule.status === 'destroyed')
      throw failedPrecondition('capsule_destroyed', 'This Capsule was destroyed, so it has nothing to share.');
    return capsule;
  }

  function create(input: NewShare, actorId: string): OutputShare {
    if (input.outputs.length === 0)
      throw invalidArgument('share_outputs_empty', 'A share names at least one Output.', { field: '/outputs' });
    const reason = input.sensitivePolicy?.reason;
    if (reason !== undefined && isSecretLike(reason))
      throw invalidArgument('secret_like_value', 'The reason holds something that looks like a credential.', {
        field: '/sensitivePolicy/reason',
      });
    workspaces.getWorkspace(input.toWorkspaceId);
    const producer = requireOwn(input.producerCapsuleId, input.fromWorkspaceId);
    const outputs = chooseOutputs(input, states.readOutputs(producer.id));
    const isSensitive = outputs.some(({ sensitive }) => sensitive);
    return db.write(() => {
      const row: ShareRow = {
        id: newId('share'),
        fromWorkspaceId: input.fromWorkspaceId,
        toWorkspaceId: input.toWorkspaceId,
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
      record(row, { workspaceId: row.fromWorkspaceId, actorId, action: 'output_share.created' });
      notify(row);
      return shareOf(row);
    });
  }

  /** The only writer of `status`. A transition that was already made returns the record unchanged. */
  function move(id: string, event: ShareEvent, by: { workspaceId: string; actorId: string }): OutputShare {
    return db.write(() => {
      const row = getRow(id);
      const status = next(shareMachine, row.status, event);
      if (!status) return shareOf(row);
      const now = clock.now();
      const set = { status, ...(event === 'approve' ? { acceptedAt: now } : { revokedAt: now }) };
      if (!store.move(id, row.status, set))
        throw new AppError('conflict', 'The share was modified by another request. Reload and try again.');
      const moved = getRow(id);
      record(moved, { ...by, action: actions[event] });
      notify(moved);
      return shareOf(moved);
    });
  }

  return {
    create,
    /** The offering Workspace decides about revoking, the receiving one about accepting. */
    findGiver: (id: string): string | undefined => store.find(id)?.fromWorkspaceId,
    findReceiver: (id: string): string | undefined => store.find(id)?.toWorkspaceId,

    /** Throws 409 `share_revoked`. */
    approve(id: string, actorId: string): OutputShare {
      const row = getRow(id);
      if (row.status === 'revoked')
        throw failedPrecondition('share_revoked', 'This offer was revoked. Ask the other Workspace for a new one.');
      return move(id, 'approve', { workspaceId: row.toWorkspaceId, actorId });
    },
    revoke: (id: string, actorId: string): OutputShare =>
      move(id, 'revoke', { workspaceId: getRow(id).fromWorkspaceId, actorId }),

    isActive: (id: string): boolean => store.find(id)?.status === 'active',

    /**
     * Returns the Outputs that a Workspace may currently use of another Workspace's Capsule, keyed by the name it sees.
     */
    findShared(producerCapsuleId: string, toWorkspaceId: string): Map<string, SharedOutput & { shareId: string }> {
      const seen = new Map<string, SharedOutput & { shareId: string }>();
      for (const { id, outputs } of store.listActive(producerCapsuleId, toWorkspaceId))
        for (const output of outputs)
          if (!seen.has(seenName(output))) seen.set(seenName(output), { ...output, shareId: id });
      return seen;
    },

    list(workspaceId: string, query: PageQuery): { shares: OutputShare[]; nextCursor?: string } {
      const { rows, next: more } = readPage(cursors, query, {
        binding: `output-shares:${workspaceId}`,
        fetch: (after, limit) => store.listPage(workspaceId, afterCreated(after), limit),
        positionOf: createdOf,
      });
      return { shares: rows.map(shareOf), ...more };
    },
  };
}

/**
 * Returns the Outputs of a share as they are recorded. An Output that is sensitive in the module or the state stays
 * sensitive, regardless of the request.
 */
function chooseOutputs({ outputs, sensitivePolicy }: NewShare, current: CurrentOutputs | undefined): SharedOutput[] {
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

const shareOf = ({ createdAt, acceptedAt, revokedAt, createdBy: _by, sensitiveReason: _why, ...row }: ShareRow) => ({
  ...row,
  createdAt: isoTime(createdAt),
  ...(acceptedAt !== null && { acceptedAt: isoTime(acceptedAt) }),
  ...(revokedAt !== null && { revokedAt: isoTime(revokedAt) }),
});
