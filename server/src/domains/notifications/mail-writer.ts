import type { IdentityService } from '#server/domains/identity/index';
import type { RunRecord, RunsService } from '#server/domains/runs/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import { mailLimits } from '#shared/limits';
import {
  type BackupEvent,
  defaultPreferences,
  isBackupEvent,
  type PersonalEvent,
} from '#shared/notifications/contract';
import { isNoOp } from '#shared/plans/change';
import { listConcerned } from './late-state-people.ts';
import type { WrittenMail } from './mail-queue.ts';
import { backupMail, type MailedRun, plainName, resetMail, runMail } from './mail-text.ts';
import type { MailRow, NotificationsStore } from './store.ts';

type Deps = {
  store: NotificationsStore;
  runs: Pick<RunsService, 'findRecord' | 'getRun'>;
  workspaces: Pick<WorkspacesService, 'getWorkspace' | 'findRoles'>;
  identity: Pick<IdentityService, 'findByEmail' | 'createMailedLink'>;
  /** Address of the dashboard. */
  findOrigin: () => string;
};

/** Returns the function that writes a stored mail with what is true when it is sent. */
export function createMailWriter(deps: Deps) {
  const { store, runs, workspaces, identity, findOrigin } = deps;

  function write(row: MailRow): WrittenMail | undefined {
    if (row.kind === 'password_reset') return writeReset(row.email);
    return isBackupEvent(row.kind) ? writeBackup(row.kind, row) : writeRun(row.kind, row);
  }

  /** An account without a password signs in elsewhere, so it gets no link. The same holds for an unknown e-mail. */
  function writeReset(email: string | null): WrittenMail | undefined {
    const account = email === null ? undefined : identity.findByEmail(email);
    if (!account?.hasPassword || account.isReserved || store.findPerson(account.subject) === undefined)
      return undefined;
    const link = identity.createMailedLink(account.subject, findOrigin());
    if (!link || account.email === null) return undefined;
    const { language } = store.findPreferences(account.subject) ?? defaultPreferences;
    return { to: account.email, ...resetMail(link.url, language), undo: link.withdraw };
  }

  /** Reports whether an event still concerns a person, whose role may have changed since. */
  function concerns(event: PersonalEvent, run: RunRecord, accountId: string): boolean {
    if (event === 'approval.requested') return store.listDeciders(run.workspaceId).includes(accountId);
    if (event === 'late_state.arrived' && !listConcerned(store, run).includes(accountId)) return false;
    return workspaces.findRoles(run.workspaceId, accountId) !== undefined;
  }

  function writeRun(event: PersonalEvent, { accountId, runId }: MailRow): WrittenMail | undefined {
    const run = runId === null ? undefined : runs.findRecord(runId);
    const person = accountId === null ? undefined : store.findPerson(accountId);
    if (!run || accountId === null || !person?.email) return undefined;
    if (!concerns(event, run, accountId)) return undefined;
    const isOver = runs.getRun(run.id).awaits === undefined;
    if (isOver && (event === 'approval.requested' || event === 'run.waiting')) return undefined;
    const { language } = store.findPreferences(accountId) ?? defaultPreferences;
    return { to: person.email, ...runMail(event, factsOf(run), language) };
  }

  function writeBackup(event: BackupEvent, { accountId, workspaceId }: MailRow): WrittenMail | undefined {
    if (accountId === null || workspaceId === null) return undefined;
    const person = store.findPerson(accountId);
    if (!person?.email || !store.listDeciders(workspaceId).includes(accountId)) return undefined;
    const { language } = store.findPreferences(accountId) ?? defaultPreferences;
    const workspace = plainName(workspaces.getWorkspace(workspaceId).displayName);
    const urls = { url: `${findOrigin()}/workspace/backups`, preferencesUrl: `${findOrigin()}/account` };
    return { to: person.email, ...backupMail(event, { workspace, ...urls }, language) };
  }

  function factsOf(run: RunRecord): MailedRun {
    const requester = run.facts.approvalRequest && store.findPerson(run.facts.approvalRequest.by);
    const resources = (run.detail.planResources ?? []).filter((resource) => !isNoOp(resource));
    return {
      type: run.type,
      status: run.status,
      capsule: plainName(run.capsuleName ?? run.id),
      environment: run.facts.environment ?? '',
      workspace: plainName(workspaces.getWorkspace(run.workspaceId).displayName),
      requester: plainName(requester?.displayName ?? requester?.email ?? run.facts.approvalRequest?.by ?? ''),
      summary: run.facts.summary,
      addresses: resources.slice(0, mailLimits.addresses).map(({ address }) => plainName(address, 200)),
      more: Math.max(0, resources.length - mailLimits.addresses),
      url: `${findOrigin()}/runs/${run.id}`,
      preferencesUrl: `${findOrigin()}/account`,
    };
  }

  return write;
}
