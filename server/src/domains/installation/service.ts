import type { ActivityService } from '#server/domains/activity/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import { afterCreated, type Cursors, createdOf, type ListQueryOf, readPage } from '#server/kernel/page';
import { present } from '#server/kernel/present';
import type { installationApi } from '#shared/installation/api';
import { type Installation, type PauseNotice, pausedWork } from '#shared/installation/contract';
import type { Pause } from './pause.ts';
import type { InstallationStore } from './store.ts';

type Deps = {
  id: string;
  db: Pick<Db, 'write'>;
  clock: Clock;
  cursors: Cursors;
  activity: Pick<ActivityService, 'record'>;
  store: InstallationStore;
  pause: Pause;
};

export type InstallationService = ReturnType<typeof createInstallationService>;

/** Reads a page of the members and Connections to review. */
function createReviewLists({ cursors, store }: Pick<Deps, 'cursors' | 'store'>) {
  return {
    listMembers(query: ListQueryOf<typeof installationApi.listReviewedMembers>) {
      const { rows, next } = readPage(cursors, query, {
        binding: 'installation:members',
        fetch: (after, limit) => store.listMembers(afterCreated(after), limit),
        positionOf: createdOf,
      });
      const members = rows.map(({ createdAt: _, updatedAt, displayName, email, ...row }) => ({
        ...row,
        ...present({ displayName: displayName ?? undefined, email: email ?? undefined }),
        updatedAt: isoTime(updatedAt),
      }));
      return { members, ...next };
    },

    listConnections(query: ListQueryOf<typeof installationApi.listReviewedConnections>) {
      const { rows, next } = readPage(cursors, query, {
        binding: 'installation:connections',
        fetch: (after, limit) => store.listConnections(afterCreated(after), limit),
        positionOf: createdOf,
      });
      const connections = rows.map(({ createdAt: _, updatedAt, expiresAt, ...row }) => ({
        id: row.id,
        provider: row.provider,
        status: row.status,
        ...present({
          workspaceId: row.workspaceId ?? undefined,
          workspaceName: row.workspaceName ?? undefined,
          displayName: row.displayName ?? undefined,
          expiresAt: expiresAt === null ? undefined : isoTime(expiresAt),
        }),
        updatedAt: isoTime(updatedAt),
      }));
      return { connections, ...next };
    },
  };
}

/** The installation as a whole: its restore, its pause, and what to review before the pause ends. */
export function createInstallationService({ id, db, clock, cursors, activity, store, pause }: Deps) {
  function get(): Installation {
    const { ended, pausedAt, resumedAt, resumedBy } = pause.find() ?? {};
    return {
      id,
      paused: pause.isPaused(),
      ...present({ restored: pause.restored, pausedAt, resumedAt, resumedBy }),
      off: pause.isPaused() ? [...pausedWork] : [],
      ...(ended && { ended }),
      review: { members: store.countMembers(), connections: store.countConnections() },
    };
  }

  return {
    get,

    /** Refuses every request in the moment between the unsealing of the vault and the end of the first start. */
    findRefusal: (): AppError | undefined =>
      pause.isUnprepared()
        ? new AppError(
            'vault_sealed',
            'This restored installation is starting for the first time. Try again in a moment.',
          )
        : undefined,

    /** The pause as every account sees it; undefined while the installation is not paused. */
    findNotice(): PauseNotice | undefined {
      const paused = pause.find();
      if (!pause.isPaused() || !paused || !pause.restored) return undefined;
      return { pausedAt: paused.pausedAt, backupCreatedAt: pause.restored.backupCreatedAt };
    },

    ...createReviewLists({ cursors, store }),

    /** Ends the pause; a repeated call changes nothing. 409 `installation_not_restored` where there never was one. */
    resume(actorId: string): void {
      db.write(() => {
        const current = pause.find();
        if (!current)
          throw failedPrecondition(
            'installation_not_restored',
            'This installation was not restored from a backup, so it has no pause to end.',
          );
        if (current.resumedAt !== undefined) return;
        pause.end(current, { resumedAt: isoTime(clock.now()), resumedBy: actorId });
        activity.record({
          actorId,
          action: 'installation.resumed',
          targetType: 'installation',
          targetId: id,
          metadata: { pausedAt: current.pausedAt },
        });
        failpoint('installation.resuming');
      });
      failpoint('installation.resumed');
    },
  };
}
