import { rateLimits } from '#shared/limits';
import { createActivityService } from '../domains/activity/index.ts';
import type { FenceService } from '../domains/fence/index.ts';
import { createIdentityService, createPasswords } from '../domains/identity/index.ts';
import { createPause, type Pause } from '../domains/installation/index.ts';
import { createPreemption, createQueuedCancel, createRunsService } from '../domains/runs/index.ts';
import {
  createExternalAccounts,
  createOidcSignIn,
  createSetupCode,
  createSignInService,
  readProviders,
} from '../domains/signin/index.ts';
import { createTokensService, createTokensStore } from '../domains/tokens/index.ts';
import { createUsageService, createUsageStore } from '../domains/usage/index.ts';
import { createMembersService, createWorkspaceEvents, createWorkspacesService } from '../domains/workspaces/index.ts';
import { endDeniedStreams } from '../kernel/http/index.ts';
import { createOutbox } from '../kernel/outbox.ts';
import { createCursors } from '../kernel/page.ts';
import { createRateLimit } from '../kernel/rate-limit.ts';
import { createWorkGate } from '../kernel/work-gate.ts';
import type { AppContext } from './app-context.ts';
import { buildFence } from './fence.ts';
import { buildMail } from './mail.ts';
import { buildDurablePoints } from './replica.ts';

export type BaseDomains = ReturnType<typeof buildBase>;

/** Builds the domains that every other one uses: history, accounts, Workspaces, the ledger. */
export function buildBase(context: AppContext) {
  const { db, clock, vault, settings } = context;
  const cursors = createCursors(() => vault.installationKey('cursors'));
  const outbox = createOutbox(db, clock);
  const shared = { db, clock, cursors, outbox };
  const activity = createActivityService({ ...shared, installationKey: () => vault.installationKey('audit') });
  const pause = createPause(db);
  const fence = buildFence(context, { activity, pause });
  const gates = buildGates(fence, pause);
  const points = buildDurablePoints(context, outbox);
  const passwords = createPasswords();
  const takeTry = createRateLimit({ clock, perMinute: rateLimits.passwords.perEmail }).take;
  const endDenied = endDeniedStreams;
  const identity = createIdentityService({ ...shared, activity, passwords, takeTry, endDenied });
  const workspaces = createWorkspacesService({ ...shared, activity });
  const tokens = createTokensService({
    ...shared,
    store: createTokensStore(db),
    activity,
    endDenied,
    hasAccount: (subject) => identity.findAccount(subject) !== undefined,
    workspaces,
  });
  const ways = waysIn(context);
  const canInvite = () => ways.isPasswordOn || ways.providers.length > 0;
  const members = createMembersService({ ...shared, activity, identity, canInvite, endDenied });
  const runs = createRunsService(shared);
  const preemptCheck = createPreemption({ runs, clock, activity });
  const mail = buildMail(context, { identity, workspaces, runs, ...gates });
  const signIn = createSignInService({
    db,
    identity,
    members,
    passwords,
    takeTry,
    workspaces,
    ...ways,
    requestReset: mail.mails.isOn ? mail.mails.pushReset : undefined,
    code: createSetupCode(),
  });
  const oidc = createOidcSignIn({ ...context, ...ways, ...createExternalAccounts({ identity, members }) });
  const workspaceEvents = createWorkspaceEvents({ ...shared, workspaces });
  workspaces.onArchive(createQueuedCancel({ runs, clock, activity }));
  const { billingMode } = settings;
  const usage = createUsageService({ ...shared, store: createUsageStore(db), runs, billingMode });
  runs.onLeave(usage.recordRun);
  return {
    shared,
    activity,
    pause,
    identity,
    workspaces,
    tokens,
    members,
    signIn,
    oidc,
    workspaceEvents,
    runs,
    preemptCheck,
    mail,
    usage,
    fence,
    points,
    ...gates,
  };
}

/**
 * Builds the one question that work reads before it acts. Without the fence nothing acts; a pause leaves Runs, mail and
 * the cleanup on.
 */
function buildGates(fence: FenceService, pause: Pause) {
  const fenced = { mayAct: fence.mayWrite, onChange: fence.onChange };
  const resumed = { mayAct: () => !pause.isPaused(), onChange: pause.onResumed };
  return { workGate: createWorkGate([fenced]), unattendedGate: createWorkGate([fenced, resumed]) };
}

const waysIn = ({ settings }: AppContext) => ({
  isPasswordOn: settings.passwordSignIn,
  providers: readProviders(settings.signInProviders),
});
