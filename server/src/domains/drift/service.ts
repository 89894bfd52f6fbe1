import type { CapsulesService } from '#server/domains/capsules/index';
import { type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import type { Capsule } from '#shared/capsules/contract';
import type { driftApi } from '#shared/drift/api';
import type { Acknowledgement, createDriftMarks } from './marks.ts';
import type { DriftStore } from './store.ts';

type Deps = {
  cursors: Cursors;
  store: Pick<DriftStore, 'listOpenMarks'>;
  capsules: Pick<CapsulesService, 'getCapsule'>;
  marks: Pick<ReturnType<typeof createDriftMarks>, 'acknowledge'>;
};

export type DriftService = ReturnType<typeof createDriftService>;

/** The drift of the Capsules of a Workspace. */
export const createDriftService = ({ cursors, store, capsules, marks }: Deps) => ({
  listDrift(workspaceId: string, { status: statuses, ...page }: ListQueryOf<typeof driftApi.listDrift>) {
    const { rows, next } = readPage(cursors, page, {
      binding: `drift:${workspaceId}:${statuses?.join() ?? ''}`,
      fetch: (position, limit) => {
        const before = [Number(position?.[0] ?? Number.MAX_SAFE_INTEGER), String(position?.[1] ?? '')] as const;
        return store.listOpenMarks({ workspaceId, statuses, before, limit });
      },
      positionOf: ({ checkedAt, capsuleId }) => [checkedAt, capsuleId],
    });
    return { capsules: rows.map(({ capsuleId }) => capsules.getCapsule(capsuleId)), ...next };
  },

  acknowledge(capsuleId: string, acknowledgement: Acknowledgement, actorId: string): Capsule {
    marks.acknowledge(capsuleId, acknowledgement, actorId);
    return capsules.getCapsule(capsuleId);
  },
});
