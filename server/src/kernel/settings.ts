import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type ReleaseActivator, readReleaseActivator } from './settings-activator.ts';
import { type InstallationBackupSettings, readInstallationBackup } from './settings-backup.ts';
import { type FenceSettings, readFence } from './settings-fence.ts';
import { type Ingress, readIngress } from './settings-ingress.ts';
import { type MailSettings, readMail } from './settings-mail.ts';
import { unknownSettings } from './settings-names.ts';
import { type NatsSettings, readNats, readRunnerLease } from './settings-nats.ts';
import { type Environment, findSetting, flag, hostsOf, listed, pathOf, SettingError, whole } from './settings-read.ts';
import { type ReplicaSettings, readReplica } from './settings-replica.ts';
import { readSignIn, type SignInSettings } from './settings-sign-in.ts';

export type { InstallationBackupSettings } from './settings-backup.ts';
export { isLoopbackHost } from './settings-ingress.ts';
export { type Environment, SettingError } from './settings-read.ts';

/** All validated settings. */
export interface Settings extends SignInSettings, Ingress {
  dataDir: string;
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** Under which every service that asks for an address gets one. */
  publicBaseDomain: string | undefined;
  operatorToken: string | undefined;
  allowLoopbackGit: boolean;
  allowLocalGit: boolean;
  /** False: only the owner of the server may use repositories on its disk. */
  localGitForEveryone: boolean;
  caFile: string | undefined;
  httpsProxy: string | undefined;
  /** Hosts that webhooks may name although they are on this machine or in a private network, also over http. */
  webhookHosts: readonly string[];
  /** Absent when the server sends no mail. */
  mail: MailSettings | undefined;
  /** Folders below which owners of Workspaces may store copies of backups. */
  backupFolders: readonly string[];
  /** Absent when the whole installation is not backed up every day. */
  installationBackup: InstallationBackupSettings | undefined;
  /** Absent when nothing keeps a second server from writing. */
  fence: FenceSettings | 'nats' | undefined;
  /** Absent when no continuous copy of the ledger is confirmed. */
  replica: ReplicaSettings | undefined;
  /** NATS over which runner machines work; absent when Runs are executed on this machine only. */
  nats: NatsSettings | undefined;
  /** Milliseconds without a sign of life after which a Run that was not permitted is given to another machine. */
  runnerLeaseMs: number;
  /** Absent when actions of the executor `operator` fail at once. */
  releaseActivator: ReleaseActivator | undefined;
  toolPath: string | undefined;
  providerMirror: string | undefined;
  /** Profiles of managed Connections for which this server is the receiving platform. */
  providerProfiles: readonly string[];
  /** Absolute path of the Node program for supervisors, when it is not the server's own. */
  supervisorNode: string | undefined;
  /** True refuses plans and applies without bubblewrap. */
  requireSandbox: boolean;
  /** True when source builds may run without bubblewrap. */
  allowBuildsWithoutSandbox: boolean;
  /** True when plans and applies can reach services on this machine, such as an emulator of a cloud. */
  shareNetwork: boolean;
  /** True refuses plans and applies that would use the network of the host. */
  requireIsolatedNetwork: boolean;
  /** Store of the vault's key at a first start; afterwards the ledger records it. */
  keySource: 'keychain' | 'file' | 'passphrase' | undefined;
  keyFile: string | undefined;
  passphraseFile: string | undefined;
  concurrentRuns: number;
  /** Number of scheduled drift checks at once, at most `concurrentRuns`. */
  concurrentDriftChecks: number;
  planTtlHours: number;
  /** `showback` shows the resource usage of Runs with prices; no prices exist yet. */
  billingMode: 'disabled' | 'showback';
  /** Programs can manage Resources of installed forms. */
  formHost: boolean;
  /** Days that unused files stay in the data folder. */
  keepDays: number;
  /** Limits of one command of a Run; an absent member means the default. */
  runAllowances: { memoryBytes?: number; processes?: number; diskBytes?: number };
  /** Environment variables that resemble settings and are unknown. */
  unknownNames: readonly string[];
}

export type Flags = {
  dataDir?: string;
  host?: string;
  port?: string;
  /** One person on one machine: passwords are off unless the environment enables them. */
  isPersonal?: boolean;
};

/** Reads the limits of a Run. A limit below what the tool itself needs would end every Run, so it is refused. */
function runAllowancesOf(env: Environment): Settings['runAllowances'] {
  const read = (name: string, min: number, max: number): number | undefined =>
    env[name] ? whole(name, env[name], { min, max, fallback: 0 }) : undefined;
  const memoryMb = read('GROUNDCTL_RUN_MEMORY_MB', 256, 16_777_216);
  const processes = read('GROUNDCTL_RUN_PROCESSES', 64, 1_000_000);
  const diskMb = read('GROUNDCTL_RUN_DISK_MB', 64, 1_073_741_824);
  return {
    ...(memoryMb !== undefined && { memoryBytes: memoryMb * 1_048_576 }),
    ...(processes !== undefined && { processes }),
    ...(diskMb !== undefined && { diskBytes: diskMb * 1_048_576 }),
  };
}

function networkOf(env: Environment): Pick<Settings, 'shareNetwork' | 'requireIsolatedNetwork'> {
  const shareNetwork = flag(env, 'GROUNDCTL_SHARE_NETWORK', false);
  const requireIsolatedNetwork = flag(env, 'GROUNDCTL_REQUIRE_ISOLATED_NETWORK', false);
  if (shareNetwork && requireIsolatedNetwork)
    throw new SettingError(
      'GROUNDCTL_SHARE_NETWORK and GROUNDCTL_REQUIRE_ISOLATED_NETWORK contradict each other. Set one of them.',
    );
  return { shareNetwork, requireIsolatedNetwork };
}

function keySourceOf(env: Environment): Settings['keySource'] {
  const text = env['GROUNDCTL_KEY_SOURCE'];
  if (!text) return env['GROUNDCTL_PASSPHRASE_FILE'] ? 'passphrase' : undefined;
  if (text === 'keychain' || text === 'file' || text === 'passphrase') return text;
  throw new SettingError('GROUNDCTL_KEY_SOURCE must be keychain, file or passphrase.');
}

const domain = /^(?=.{1,180}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function baseDomainOf(env: Environment): string | undefined {
  const text = env['GROUNDCTL_PUBLIC_BASE_DOMAIN'];
  if (!text || domain.test(text)) return text || undefined;
  throw new SettingError('GROUNDCTL_PUBLIC_BASE_DOMAIN must be a domain in lower case, such as apps.example.org.');
}

function billingModeOf(env: Environment): Settings['billingMode'] {
  const text = findSetting(env, 'GROUNDCTL_BILLING_MODE') ?? 'disabled';
  if (text === 'disabled' || text === 'showback') return text;
  throw new SettingError('GROUNDCTL_BILLING_MODE must be disabled or showback.');
}

/** Reads all settings. Flags win over the environment; an empty variable counts as absent. Throws `SettingError`. */
export function readSettings(env: Environment, flags: Flags = {}): Settings {
  const dataDir = flags.dataDir ?? env['GROUNDCTL_DATA_DIR'];
  if (!dataDir) throw new SettingError('Name the data folder with --data-dir DIR or GROUNDCTL_DATA_DIR.');
  const host = flags.host ?? (env['GROUNDCTL_HOST'] || '127.0.0.1');
  const ingress = readIngress(env, host);
  const local = ingress.isLocal;
  const operatorToken = findSetting(env, 'SVC_OPERATOR_TOKEN');
  if (operatorToken !== undefined && operatorToken.length < 32)
    throw new SettingError('SVC_OPERATOR_TOKEN must have at least 32 characters.');
  return {
    dataDir: path.resolve(dataDir),
    host,
    port: whole('--port', flags.port ?? env['GROUNDCTL_PORT'], { min: 0, max: 65_535, fallback: 0 }),
    ...ingress,
    publicBaseDomain: baseDomainOf(env),
    operatorToken,
    ...readSignIn(env, flags),
    allowLoopbackGit: flag(env, 'GROUNDCTL_ALLOW_LOOPBACK_GIT', local),
    ...localGitOf(env, local),
    caFile: findSetting(env, 'GROUNDCTL_CA_FILE'),
    httpsProxy: findSetting(env, 'GROUNDCTL_HTTPS_PROXY'),
    webhookHosts: hostsOf(env, 'GROUNDCTL_WEBHOOK_HOSTS'),
    mail: readMail(env),
    fence: readFence(env),
    backupFolders: listed(env, 'GROUNDCTL_BACKUP_FOLDERS').map((folder) => path.resolve(folder)),
    installationBackup: readInstallationBackup(env),
    replica: readReplica(env),
    nats: readNats(env),
    runnerLeaseMs: readRunnerLease(env),
    releaseActivator: readReleaseActivator(env, local),
    toolPath: findSetting(env, 'GROUNDCTL_TOOL_PATH'),
    providerMirror: findSetting(env, 'GROUNDCTL_PROVIDER_MIRROR'),
    providerProfiles: listed(env, 'GROUNDCTL_PROVIDER_PROFILES'),
    supervisorNode: findSetting(env, 'GROUNDCTL_SUPERVISOR_NODE'),
    keySource: keySourceOf(env),
    keyFile: pathOf(env, 'GROUNDCTL_KEY_FILE'),
    passphraseFile: pathOf(env, 'GROUNDCTL_PASSPHRASE_FILE'),
    requireSandbox: flag(env, 'GROUNDCTL_REQUIRE_SANDBOX', false),
    allowBuildsWithoutSandbox: flag(env, 'GROUNDCTL_ALLOW_BUILDS_WITHOUT_SANDBOX', false),
    ...networkOf(env),
    concurrentRuns: whole('GROUNDCTL_CONCURRENT_RUNS', env['GROUNDCTL_CONCURRENT_RUNS'], {
      min: 1,
      max: 8,
      fallback: 2,
    }),
    concurrentDriftChecks: whole('GROUNDCTL_CONCURRENT_DRIFT_CHECKS', env['GROUNDCTL_CONCURRENT_DRIFT_CHECKS'], {
      min: 1,
      max: 8,
      fallback: 1,
    }),
    billingMode: billingModeOf(env),
    formHost: flag(env, 'GROUNDCTL_FORM_HOST', false),
    planTtlHours: whole('GROUNDCTL_PLAN_TTL_HOURS', env['GROUNDCTL_PLAN_TTL_HOURS'], {
      min: 1,
      max: 8_760,
      fallback: 168,
    }),
    keepDays: whole('GROUNDCTL_KEEP_DAYS', env['GROUNDCTL_KEEP_DAYS'], { min: 1, max: 3_650, fallback: 30 }),
    runAllowances: runAllowancesOf(env),
    unknownNames: unknownSettings(env),
  };
}

/** Returns the default data folder: where the system stores application data of one account. */
export function defaultDataDir(env: Environment, home: string, platform: NodeJS.Platform): string {
  const base = () => {
    if (platform === 'win32') return env['LOCALAPPDATA'] || path.join(home, 'AppData', 'Local');
    if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
    return env['XDG_DATA_HOME'] || path.join(home, '.local', 'share');
  };
  return path.join(base(), 'groundctl');
}

/** Returns the last port of this data folder, so that its address survives a restart; undefined when it never ran. */
export function lastPort(dataDir: string): number | undefined {
  try {
    const port = Number(readFileSync(path.join(dataDir, 'last-port'), 'utf8'));
    return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch {
    return undefined;
  }
}

function localGitOf(env: Environment, local: boolean): Pick<Settings, 'allowLocalGit' | 'localGitForEveryone'> {
  const name = 'GROUNDCTL_ALLOW_LOCAL_GIT';
  const localGitForEveryone = env[name] === 'everyone';
  return { allowLocalGit: localGitForEveryone || flag(env, name, local), localGitForEveryone };
}
