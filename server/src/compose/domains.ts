import { createNotificationsService } from '../domains/notifications/index.ts';
import { everyWorkspace } from '../kernel/outbox.ts';
import type { AppContext } from './app-context.ts';
import { buildBase } from './base.ts';
import { buildRecords } from './records.ts';
import { buildWebhooks } from './webhooks.ts';
import { buildWork } from './work.ts';

export type Domains = ReturnType<typeof buildDomains>;

/** Builds every domain, lowest first. A lower domain receives a function of a higher one as a parameter. */
export function buildDomains(context: AppContext) {
  const { db, toolManager } = context;
  const base = buildBase(context);
  // The tool belongs to the machine, so every Workspace is notified.
  toolManager.listen(({ id, status }) =>
    db.write(() => base.shared.outbox.push({ workspaceId: everyWorkspace, kind: 'runner', recordId: id, status })),
  );
  const records = buildRecords(context, base);
  const work = buildWork(context, base, records);
  const notifications = createNotificationsService({
    ...context,
    ...base,
    ...base.mail,
    capsules: records.capsules,
    plans: work.plans,
  });
  return { ...base, ...records, ...work, ...buildWebhooks(context, base, records), notifications };
}
