import { SettingError } from '../kernel/settings.ts';
import { StartError, SupersededError } from '../kernel/start-error.ts';
import { CommandError, exitCodes } from './exit-codes.ts';
import type { Flags } from './flags.ts';
import { type OptionValues, type ParsedCommand, readCommandLine } from './options.ts';
import { type CommandName, helpOf, usage } from './terms/index.ts';

/** Runs one command and returns its exit code. */
export async function run(argv: string[]): Promise<number> {
  try {
    const parsed = readCommandLine(argv);
    if (parsed.name === '') return say(usage, exitCodes.done);
    if (parsed.wantsHelp) return say(helpOf(parsed.name), exitCodes.done);
    const command = await commands[parsed.name as CommandName]();
    return await command(parsed);
  } catch (error) {
    if (error instanceof SupersededError) return say(`${error.message}\n`, exitCodes.waits);
    if (error instanceof SettingError || error instanceof StartError)
      return say(`${error.message}\n`, exitCodes.failed);
    if (error instanceof CommandError) {
      const hint = error.exitCode === exitCodes.wrongUse ? 'groundctl help lists the commands.\n' : '';
      return say(`${error.message}\n${hint}`, error.exitCode);
    }
    throw error;
  }
}

type Command = (parsed: ParsedCommand) => Promise<number>;

const flagsOf = ({ 'data-dir': dataDir, port, host, to, exit, json }: OptionValues): Flags => ({
  exit: exit === true,
  json: json === true,
  ...(dataDir !== undefined && { dataDir }),
  ...(port !== undefined && { port }),
  ...(host !== undefined && { host }),
  ...(to !== undefined && { to }),
});

/** Creates a command that works on the data folder itself. */
const local =
  (work: (flags: Flags) => Promise<number>): Command =>
  ({ options }) =>
    work(flagsOf(options));

/** Loads each command separately, so that a server does not load the code of other commands. */
const commands: Readonly<Record<CommandName, () => Promise<Command>>> = {
  start: async () => local((await import('./start.ts')).runStart),
  serve: async () => local((await import('./serve.ts')).runServe),
  runner: async () => (await import('./runner.ts')).runRunner,
  demo: async () => local((await import('./demo.ts')).runDemo),
  version: async () => (await import('./version.ts')).runVersion,
  install: async () => (await import('./client/index.ts')).runInstall,
  'config get': async () => (await import('./client/index.ts')).runConfigGet,
  'config set': async () => (await import('./client/index.ts')).runConfigSet,
  capsules: async () => (await import('./client/index.ts')).runCapsules,
  'capsules re-adopt': async () => (await import('./client/index.ts')).runReAdopt,
  hold: async () => (await import('./client/index.ts')).runHold,
  release: async () => (await import('./client/index.ts')).runRelease,
  drift: async () => (await import('./client/index.ts')).runDrift,
  'drift check': async () => (await import('./client/index.ts')).runDriftCheck,
  'drift ack': async () => (await import('./client/index.ts')).runDriftAck,
  open: async () => (await import('./client/index.ts')).runOpen,
  connections: async () => (await import('./client/index.ts')).runConnections,
  sources: async () => (await import('./client/index.ts')).runSources,
  'sources sync': async () => (await import('./client/index.ts')).runSourcesSync,
  copy: async () => (await import('./client/index.ts')).runCopy,
  runs: async () => (await import('./client/index.ts')).runRuns,
  'runs show': async () => (await import('./client/index.ts')).runRunsShow,
  'runs approve': async () => (await import('./client/index.ts')).runRunsApprove,
  'runs apply': async () => (await import('./client/index.ts')).runRunsApply,
  'runs cancel': async () => (await import('./client/index.ts')).runRunsCancel,
  groups: async () => (await import('./client/index.ts')).runGroups,
  'groups show': async () => (await import('./client/index.ts')).runGroupsShow,
  'groups apply': async () => (await import('./client/index.ts')).runGroupsApply,
  'interfaces list': async () => (await import('./client/index.ts')).runInterfacesList,
  'interfaces show': async () => (await import('./client/index.ts')).runInterfacesShow,
  'interfaces grant': async () => (await import('./client/index.ts')).runInterfacesGrant,
  'interfaces revoke': async () => (await import('./client/index.ts')).runInterfacesRevoke,
  'plans diff': async () => (await import('./client/index.ts')).runPlansDiff,
  resources: async () => (await import('./client/index.ts')).runResources,
  'states diff': async () => (await import('./client/index.ts')).runStatesDiff,
  import: async () => (await import('./client/index.ts')).runImport,
  export: async () => (await import('./client/index.ts')).runExport,
  'state show': async () => (await import('./client/index.ts')).runStateShow,
  'state pull': async () => (await import('./client/index.ts')).runStatePull,
  'state outputs': async () => (await import('./client/index.ts')).runStateOutputs,
  logs: async () => (await import('./client/index.ts')).runLogs,
  notify: async () => (await import('./client/index.ts')).runNotify,
  'notify test': async () => (await import('./client/index.ts')).runNotifyTest,
  'workspaces delete': async () => (await import('./client/index.ts')).runWorkspacesDelete,
  'token create': async () => (await import('./client/index.ts')).runTokenCreate,
  'token list': async () => (await import('./client/index.ts')).runTokenList,
  'token revoke': async () => (await import('./client/index.ts')).runTokenRevoke,
  login: async () => (await import('./client/index.ts')).runLogin,
  logout: async () => (await import('./client/index.ts')).runLogout,
  'sign-in': async () => local((await import('./sign-in.ts')).runSignIn),
  'accounts reset': async () => (await import('./client/index.ts')).runAccountsReset,
  'mail test': async () => (await import('./client/index.ts')).runMailTest,
  backup: async () => (await import('./backup.ts')).runBackup,
  'backup create': async () => (await import('./client/index.ts')).runBackupCreate,
  'backup list': async () => (await import('./client/index.ts')).runBackupList,
  'backup download': async () => (await import('./client/index.ts')).runBackupDownload,
  'backup delete': async () => (await import('./client/index.ts')).runBackupDelete,
  'backup restore': async () => (await import('./client/index.ts')).runBackupRestore,
  'backup schedule show': async () => (await import('./client/index.ts')).runBackupScheduleShow,
  'backup schedule set': async () => (await import('./client/index.ts')).runBackupScheduleSet,
  'backup schedule off': async () => (await import('./client/index.ts')).runBackupScheduleOff,
  'late-states list': async () => (await import('./client/index.ts')).runLateStatesList,
  'late-states adopt': async () => (await import('./client/index.ts')).runLateStatesAdopt,
  'late-states dismiss': async () => (await import('./client/index.ts')).runLateStatesDismiss,
  'backup verify': async () => (await import('./restore.ts')).runBackupVerify,
  restore: async () => (await import('./restore.ts')).runRestore,
  promote: async () => (await import('./promote.ts')).runPromote,
  'restore mark': async () => local((await import('./restore-mark.ts')).runRestoreMark),
  doctor: async () => local((await import('./doctor.ts')).runDoctor),
  'audit list': async () => (await import('./client/index.ts')).runAuditList,
  'capsules disable': async () => (await import('./client/index.ts')).runCapsulesDisable,
  'capsules enable': async () => (await import('./client/index.ts')).runCapsulesEnable,
  'configs patch': async () => (await import('./client/index.ts')).runConfigsPatch,
  'fence show': async () => (await import('./client/index.ts')).runFenceShow,
  'fence take': async () => (await import('./client/index.ts')).runFenceTake,
  'oidc rotate': async () => (await import('./client/index.ts')).runOidcRotate,
  'forms lint': async () => (await import('./client/forms-lint.ts')).runFormsLint,
  'forms install': async () => (await import('./client/forms.ts')).runFormsInstall,
  'forms list': async () => (await import('./client/forms.ts')).runFormsList,
  'forms conformance': async () => (await import('./client/forms-conformance.ts')).runFormsConformance,
  'audit verify': async () => local((await import('./audit-verify.ts')).runAuditVerify),
  'vault status': async () => local((await import('./vault.ts')).runVaultStatus),
  'vault unseal': async () => local((await import('./vault.ts')).runVaultUnseal),
  'vault rotate': async () => local((await import('./vault.ts')).runVaultRotate),
  'vault change-key': async () => local((await import('./vault.ts')).runVaultChangeKey),
  'recovery-kit create': async () => (await import('./recovery-kit.ts')).runKitCreate,
  'recovery-kit check': async () => (await import('./recovery-kit.ts')).runKitCheck,
  'vault restore-key': async () => (await import('./recovery-kit.ts')).runRestoreKey,
  'installation status': async () => (await import('./client/index.ts')).runInstallationStatus,
  'installation resume': async () => (await import('./client/index.ts')).runInstallationResume,
  'runner-pools list': async () => (await import('./client/runner-pools.ts')).runRunnerPoolsList,
  'runner-pools create': async () => (await import('./client/runner-pools.ts')).runRunnerPoolsCreate,
  'runner-pools rename': async () => (await import('./client/runner-pools.ts')).runRunnerPoolsRename,
  'runner-pools remove': async () => (await import('./client/runner-pools.ts')).runRunnerPoolsRemove,
  'runner-pools allow': async () => (await import('./client/runner-pools.ts')).runRunnerPoolsAllow,
  'nats config': async () => (await import('./client/runners.ts')).runNatsConfig,
  'runners list': async () => (await import('./client/runners.ts')).runRunnersList,
  'runners drain': async () => (await import('./client/runners.ts')).runRunnersDrain,
  'runners resume': async () => (await import('./client/runners.ts')).runRunnersResume,
  'runners revoke': async () => (await import('./client/runners.ts')).runRunnersRevoke,
  'runners enrolments': async () => (await import('./client/runners.ts')).runRunnersEnrolments,
  'runners cancel': async () => (await import('./client/runners.ts')).runRunnersCancel,
  'runners enrol': async () => (await import('./client/runners.ts')).runRunnersEnrol,
  'tofu install': async () => local((await import('./tofu-install.ts')).runTofuInstall),
};

function say(text: string, code: number): number {
  (code === exitCodes.done ? process.stdout : process.stderr).write(text);
  return code;
}
