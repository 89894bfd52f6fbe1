/** The complete environment of a child: nothing is inherited. */
export type Environment = { readonly [name: string]: string };

/** Commands of a Run. Only commands that need credentials receive them. */
export type Command =
  | 'build'
  | 'schema'
  | 'provider'
  | 'init'
  | 'get'
  | 'plan'
  | 'show'
  | 'apply'
  | 'action'
  | 'version';

const credentialCommands: ReadonlySet<Command> = new Set(['plan', 'provider', 'apply', 'action']);

/** Reports whether a command talks to providers; every other one receives no credentials. */
export const takesCredentials = (command: Command): boolean => credentialCommands.has(command);

/** PATH of the system's own programs; a person's PATH may name folders that others can write to. */
const systemPath = '/usr/local/bin:/usr/bin:/bin';

/** Names that affect the loader, the shell, the tool or the start of its providers; a credential never needs them. */
const reservedName =
  /^(TF_|TOFU_|LD_|DYLD_|GO(GC|MEMLIMIT|DEBUG|TRACEBACK|ROOT|MAXPROCS)$|NODE_|PATH$|HOME$|TMPDIR$|PWD$|SHELL$|IFS$|ENV$|BASH_ENV$|CHECKPOINT_|PS4$|PROMPT_COMMAND$|PLUGIN_)/;
const validName = /^[A-Za-z_][A-Za-z0-9_]*$/;

type ToolEnvironmentOptions = {
  command: Command;
  home: string;
  dataDir: string;
  cliConfigFile: string;
  tmpDir?: string;
  /** Value of `TF_ENCRYPTION`; it names a key program and holds no key. */
  encryption?: string;
  credentials?: Environment;
  /** Value of the variable `markName`. */
  mark?: string;
  /** Value of `TF_REATTACH_PROVIDERS`: the tool starts no provider that it names. */
  reattach?: string;
  /** Limits for the command and everything it starts. */
  memoryBytes?: number;
};

const mebibyte = 1_048_576;

/**
 * Returns the garbage limit in MiB. Tool and providers each use it, so a small memory limit must hold several of them.
 */
const garbageMiB = (memoryBytes = Number.POSITIVE_INFINITY): number =>
  Math.max(32, Math.min(512, Math.floor(memoryBytes / mebibyte / 8)));

/** Variable that identifies processes that a tool has left behind; its value is random and not secret. */
export const markName = 'GROUNDCTL_RUN_MARK';

/**
 * Returns the environment of one tool command. `GOGC=off` with a memory limit saves a tenth of a short command;
 * providers inherit it and collect garbage once they reach the limit.
 */
export function toolEnvironment(options: ToolEnvironmentOptions): Environment {
  const { tmpDir, encryption } = options;
  return {
    ...(takesCredentials(options.command) ? acceptable(options.credentials ?? {}) : {}),
    PATH: systemPath,
    LANG: 'C.UTF-8',
    HOME: options.home,
    TF_CLI_CONFIG_FILE: options.cliConfigFile,
    TF_DATA_DIR: options.dataDir,
    TF_IN_AUTOMATION: '1',
    TF_INPUT: '0',
    CHECKPOINT_DISABLE: '1',
    GOGC: 'off',
    GOMEMLIMIT: `${garbageMiB(options.memoryBytes)}MiB`,
    ...(tmpDir === undefined ? {} : { TMPDIR: tmpDir }),
    ...(encryption === undefined ? {} : { TF_ENCRYPTION: encryption }),
    ...(options.reattach === undefined ? {} : { TF_REATTACH_PROVIDERS: options.reattach }),
    ...(options.mark === undefined ? {} : { [markName]: options.mark }),
  };
}

/**
 * Returns the complete environment of a command that builds files of a module before its plan: no variable of ours, no
 * credential.
 */
export const buildEnvironment = (paths: { home: string; tmpDir: string }): Environment => ({
  PATH: systemPath,
  LANG: 'C.UTF-8',
  HOME: paths.home,
  TMPDIR: paths.tmpDir,
});

/**
 * Returns the environment of a lifecycle action, without its own variables. Credentials are in it only when the action
 * was given some.
 */
export const actionEnvironment = (options: {
  paths: { home: string; tmpDir: string };
  credentials: Environment;
  host: Environment;
}): Environment => ({
  ...acceptable(options.credentials),
  ...options.host,
  ...buildEnvironment(options.paths),
});

/**
 * Returns the environment of a provider beside the tool, without what the plugin protocol requires. It has
 * the tool's settings of garbage collection, and no `TF_` variable.
 */
export const providerEnvironment = (options: {
  paths: { home: string; tmpDir: string };
  credentials: Environment;
  memoryBytes: number;
}): Environment => ({
  ...acceptable(options.credentials),
  ...buildEnvironment(options.paths),
  GOGC: 'off',
  GOMEMLIMIT: `${garbageMiB(options.memoryBytes)}MiB`,
});

/** Returns the environment of the supervisor itself, which finds system programs by name only for `mkfifo`. */
export const supervisorEnvironment = (): Environment => ({ PATH: systemPath, LANG: 'C.UTF-8' });

/** Reports whether a credential may set this name in the environment of a tool. */
export const isCredentialName = (name: string): boolean => validName.test(name) && !reservedName.test(name);

function acceptable(credentials: Environment): Environment {
  return Object.fromEntries(Object.entries(credentials).filter(([name]) => isCredentialName(name)));
}
