import { failpoint } from '../kernel/failpoints.ts';
import type { App } from './app.ts';

/** Starts what works without a request: queues, timers and the cleanup. Each part acts only while its gate is open. */
export function startWork({
  queue,
  remoteRuns,
  points,
  stateResources,
  expiry,
  planExpiry,
  holdEnds,
  schedule,
  updates,
  driftSchedule,
  gcScheduler,
  webhooks,
  mail,
  interfaces,
  connections,
  workspaceRemoval,
  backupScheduler,
  copies,
  installationBackupScheduler,
  formHost,
}: App['domains']) {
  // First, so that nothing works on the rows of a deleted Workspace.
  workspaceRemoval.start();
  queue.start();
  points.start();
  remoteRuns.start();
  copies.coordinator.start();
  stateResources.projector.start();
  failpoint('start.resumed');
  expiry.start();
  holdEnds.start();
  planExpiry.start();
  gcScheduler.start();
  webhooks.queue.start();
  mail.mails.start();
  interfaces.start();
  formHost.start();
  schedule.start();
  updates.start();
  driftSchedule.start();
  backupScheduler.start();
  installationBackupScheduler.start();
  connections.revocations.start();
}

/** Stops it again. Resolves when nothing works any more. */
export async function stopWork(domains: App['domains']): Promise<void> {
  const { queue, stateResources, expiry, holdEnds, planExpiry, schedule, updates, driftSchedule } = domains;
  const { fence, keys, gcScheduler, webhooks, mail, interfaces, connections, workspaceRemoval, backups } = domains;
  const { backupScheduler, copies, installationBackupScheduler, remoteRuns, points } = domains;
  points.stop();
  expiry.stop();
  holdEnds.stop();
  planExpiry.stop();
  schedule.stop();
  interfaces.stop();
  const { projector } = stateResources;
  const working = [
    fence,
    queue,
    remoteRuns,
    backupScheduler,
    copies.coordinator,
    installationBackupScheduler,
    { stop: backups.close },
    updates,
    driftSchedule,
    keys,
    gcScheduler,
    projector,
    webhooks.queue,
    mail.mails,
    connections.revocations,
    workspaceRemoval,
  ];
  await Promise.all(working.map((work) => work.stop()));
}
