import path from 'node:path';
import {
  isLocked,
  listBrokenViews,
  listSchemas,
  listStored,
  listUnfinished,
  noteUse,
  parseLock,
  removeEmptyAbove,
  type StoredPackage,
} from '#server/drivers/tofu/index';
import { changedAt } from './folder-facts.ts';
import type { SweepContext, SweepPart } from './sweep-parts.ts';

/** Provider packages that no lock of a live Capsule has named for the retention time. They are fetched again when one does. */
export const providerPackages: SweepPart = {
  name: 'providerPackages',
  async sweep(context) {
    const { breathe, folders } = context;
    for (const item of listStored(folders.providers)) {
      await breathe();
      judge(item, context);
    }
    for (const view of listBrokenViews(folders.providers)) {
      await breathe();
      takeQuietly(view, context);
    }
    for (const { path: schema, usedAt } of listSchemas(folders.providers)) {
      await breathe();
      if (context.clock.now() - usedAt >= context.periods.unusedMs) takeQuietly(schema, context);
    }
    for (const left of listUnfinished(folders.providers)) {
      await breathe();
      const at = changedAt(left);
      if (at !== undefined && context.clock.now() - at >= context.periods.unknownMs) takeQuietly(left, context);
    }
  },
};

/** A command may be about to link to any package, so none is removed while one is queued or running. */
function judge(item: StoredPackage, { trash, clock, count, folders, periods, store }: SweepContext): void {
  if (store.isToolBusy()) return;
  const now = clock.now();
  if (store.listLiveLocks(now).some((text) => isLocked(item, parseLock(text)))) {
    noteUse(folders.providers, item, now);
    return;
  }
  if (now - item.usedAt < periods.unusedMs || !trash.take(path.join(folders.providers, item.path))) return;
  removeEmptyAbove(folders.providers, item);
  count();
}

function takeQuietly(target: string, { trash, store }: SweepContext): void {
  if (!store.isToolBusy()) trash.take(target);
}
