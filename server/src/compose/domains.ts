import { createExportsService } from '../domains/exports/index.ts';
import { gcFoldersOf } from '../domains/gc/index.ts';
import { createNotificationsService } from '../domains/notifications/index.ts';
import {
  createDeletionsStore,
  createWorkspaceDeletionsService,
  createWorkspaceRemoval,
} from '../domains/workspace-deletions/index.ts';
import { everyWorkspace } from '../kernel/outbox.ts';
import { type AppContext, foldersOf } from './app-context.ts';
import { buildBackupSchedules } from './backup-schedules.ts';
import { type BaseDomains, buildBase } from './base.ts';
import { buildCopies } from './copies.ts';
import { buildFormHost } from './form-host.ts';
import { buildInstallation } from './installation.ts';
import { buildInstallationBackups } from './installation-backups.ts';
import { buildRecords, type RecordDomains } from './records.ts';
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
  const schedules = buildBackupSchedules(context, { ...base, ...records, ...work });
  const notifications = createNotificationsService({
    ...context,
    ...base,
    ...base.mail,
    capsules: records.capsules,
    plans: work.plans,
    onLateStatesDecided: work.lateStates.onDecided,
  });
  const whole = buildInstallationBackups(context, { ...context, ...base, ...work });
  whole.installationBackups.clean();
  const copies = buildCopies(context, base, records);
  const lower = { ...base, ...records, ...work, ...buildWebhooks(context, base, records), notifications, copies };
  const forms = buildFormHost(context, base, records);
  const deletions = buildDeletions(context, base, records);
  const exports = createExportsService({
    ...context,
    ...base,
    ...records,
    folders: foldersOf(context.settings),
    plansStore: records.stores.plans,
  });
  return { ...lower, ...schedules, ...buildInstallation(context, lower), ...deletions, ...whole, ...forms, exports };
}

/** Builds the deletion of Workspaces, which ends the work of every other domain. */
function buildDeletions(context: AppContext, base: BaseDomains, records: RecordDomains) {
  const store = createDeletionsStore(context.db);
  const known = { ...context, ...base, ...records, store };
  const workspaceRemoval = createWorkspaceRemoval({ ...known, folders: gcFoldersOf(context.settings.dataDir) });
  const workspaceDeletions = createWorkspaceDeletionsService({ ...known, startRemoval: workspaceRemoval.start });
  return { workspaceDeletions, workspaceRemoval };
}
