/** The whole environment of a child: nothing is inherited, so what is not here does not reach it. */
export type Environment = { readonly [name: string]: string };

/** The commands of a Run. Credentials go with those that need them and never with the rest. */
export type Command = 'build' | 'schema' | 'init' | 'get' | 'plan' | 'show' | 'apply' | 'version';

const credentialCommands: ReadonlySet<Command> = new Set(['plan', 'apply']);

/** Whether a command talks to providers; every other one is given no credentials. */
export const takesCredentials = (command: Command): boolean => credentialCommands.has(command);

/** Where the system's own programs are; a person's PATH may name folders that others can write to. */
const systemPath = '/usr/local/bin:/usr/bin:/bin';

/** Names that steer the loader, the shell, the tool or its providers' start; a credential never needs them. */
const reservedName =
  /^(TF_|TOFU_|LD_|DYLD_|GO(GC|MEMLIMIT|DEBUG|TRACEBACK|ROOT|MAXPROCS)$|NODE_|PATH$|HOME$|TMPDIR$|PWD$|SHELL$|IFS$|ENV$|BASH_ENV$|CHECKPOINT_|PS4$|PROMPT_COMMAND$|PLUGIN_)/;
const validName = /^[A-Za-z_][A-Za-z0-9_]*$/;

export type ToolEnvironmentOptions = {
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
  /** What the command may use with everything it starts. */
  memoryBytes?: number;
};

const mebibyte = 1_048_576;

/** Tool and providers each let their garbage grow so far, so a small allowance must hold several of them. */
const garbageMiB = (memoryBytes = Number.POSITIVE_INFINITY): number =>
  Math.max(32, Math.min(512, Math.floor(memoryBytes / mebibyte / 8)));

/** The variable by which a process that a tool has left behind is known; its value is random and no secret. */
export const markName = 'GROUNDCTL_RUN_MARK';

/**
 * The environment of one tool command. `GOGC=off` with a memory limit saves a tenth of a short command; providers
 * inherit it and collect once they reach the limit.
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

/** The whole environment of a command that builds files of a module before its plan (API 2.9): nothing of ours, no credential. */
export const buildEnvironment = (paths: { home: string; tmpDir: string }): Environment => ({
  PATH: systemPath,
  LANG: 'C.UTF-8',
  HOME: paths.home,
  TMPDIR: paths.tmpDir,
});

/** The environment of the supervisor itself, which starts programs of the system by their name only for `mkfifo`. */
export const supervisorEnvironment = (): Environment => ({ PATH: systemPath, LANG: 'C.UTF-8' });

/** True for a name that a credential may set in the environment of a tool. */
export const isCredentialName = (name: string): boolean => validName.test(name) && !reservedName.test(name);

function acceptable(credentials: Environment): Environment {
  return Object.fromEntries(Object.entries(credentials).filter(([name]) => isCredentialName(name)));
}
