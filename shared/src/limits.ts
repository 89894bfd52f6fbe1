/** Sizes in bytes, times in the unit of their name; published under these names in `/capabilities`. */
export const limits = {
  jsonBodyBytes: 1_048_576,
  formBodyBytes: 32_768,
  pageMax: 100,
  runPageMax: 500,
  logPageMax: 5_000,
  configurationRequestBytes: 524_288,
  variablesBytes: 262_144,
  archiveBytes: 268_435_456,
  archiveFiles: 20_000,
  logBytes: 67_108_864,
  queuedRunsPerCapsule: 20,
  concurrentRuns: 2,
  manifestBytes: 131_072,
  snapshotFileBytes: 131_072,
  treeEntries: 100_000,
  treeDepth: 64,
  blobBytes: 67_108_864,
  sourceSyncSeconds: 600,
  compatibilitySeconds: 300,
  initSeconds: 900,
  planSeconds: 3_600,
  buildCommandSeconds: 900,
  applySeconds: 0,
  leaseSeconds: 60,
  heartbeatSeconds: 10,
  reconcileWaitSeconds: 10,
  sseHeartbeatSeconds: 15,
  /** Streams of events that one account may have open. */
  eventStreamsPerAccount: 64,
  planTtlHours: 168,
  /** An installation or an update without a step for so long is ended. */
  abandonedPlanDays: 7,
  scanSeconds: 25,
} as const;

/** Items on a page of a list: the most, and without `limit`. More is a whole page, or refused where a list says so. */
export type PageSize = { readonly max: number; readonly usual: number; readonly refusesMore?: boolean };
export const pageSizes = {
  list: { max: limits.pageMax, usual: 100 },
  /** Runs and activity. */
  runs: { max: limits.runPageMax, usual: 100 },
  /** Lines of a log, and changes of a plan. */
  log: { max: limits.logPageMax, usual: 1_000 },
  /** Personal access tokens (shapes 1.5). */
  tokens: { max: 200, usual: 50 },
  tokenInventory: { max: 100, usual: 50, refusesMore: true },
  /** Parts of the first screens (shapes 8.1). */
  overviewWorkspaces: { max: limits.pageMax, usual: 50 },
  overviewActivity: { max: 100, usual: 50 },
  overviewConfigs: { max: 200, usual: 200 },
} as const satisfies Record<string, PageSize>;

/** Length of an `Idempotency-Key`, in bytes. */
export const idempotencyKeyBytes = { min: 1, max: 256 } as const;

/** Bounds of the module scan. */
export const scanLimits = {
  modules: 512,
  packages: 256,
  requirements: 256,
  configurationFiles: 16_384,
  fileBytes: 2_097_152,
  totalBytes: 134_217_728,
  findings: 100,
  cleanScopes: 32,
} as const;

/** Bounds of a source-options document (Manifest 2.11); lengths are in Unicode code points. */
export const sourceOptionsLimits = {
  options: 32,
  titleLength: 160,
  descriptionLength: 2_000,
  /** How many problems of one document are told. */
  problems: 20,
} as const;

/** So many calls a minute: from one client address, of one account, for one Source, and for one e-mail. */
export type RateRule = {
  readonly perAddress?: number;
  readonly perAccount?: number;
  readonly perSource?: number;
  /** Counted by the room that signs in, once it knows the e-mail: not every body names it. */
  readonly perEmail?: number;
};

/** Calls a minute (shapes 1.9); routes that name the same rule draw on one budget. */
export const rateLimits = {
  authorize: { perAddress: 60 },
  tokenExchange: { perAddress: 120 },
  createToken: { perAddress: 10 },
  /** Sign-in, setup, invitations and the change of a password. */
  passwords: { perAddress: 10, perEmail: 5 },
  stableVersions: { perAccount: 60 },
  syncs: { perAccount: 60 },
  connectionTests: { perAccount: 60 },
  sourceHooks: { perSource: 30 },
} as const satisfies Record<string, RateRule>;
export type RateName = keyof typeof rateLimits;

/** Calls a minute of one account, to all routes together, on a server that others reach. */
export const callsPerAccount = 1_200;

/** Listing the tags of a repository while somebody waits. */
export const listingLimits = { seconds: 20 } as const;

/** How Sources are watched (shapes 9). */
export const watchLimits = {
  pollMs: 3_600_000,
  polledPerTick: 5,
  /** Between two ticks, so that many Sources that are due together are spread. */
  tickGapMs: 60_000,
} as const;

/** Bounds of the repository manifest (Manifest 8); lengths are in Unicode code points. */
export const manifestLimits = {
  modules: 32,
  pathLength: 1_024,
  inputs: 128,
  requires: 16,
  generatedSecrets: 8,
  features: 32,
  interfaces: 32,
  interfaceInputs: 64,
  bindingRequests: 1,
  scopes: 16,
  secretBytes: { min: 16, max: 64 },
  permissions: 16,
  permissionLength: 256,
  buildCommands: 8,
  argv: 32,
  argLength: 4_096,
  buildOutputs: 16,
  labelLength: 160,
  helperLength: 2_000,
  placeholderLength: 256,
  callbackPathLength: 512,
  /** Containers around a scalar in the JSON of an Interface. */
  jsonDepth: 32,
  /** How many problems of one document are told. */
  problems: 20,
} as const;

/** What one command of a Run may use when nothing else is set; the settings `GROUNDCTL_RUN_*` change it. */
export const runAllowances = {
  /** And half of the machine's memory where that is more. */
  leastMemoryBytes: 2_147_483_648,
  /** Threads count too: the tool and each provider have ten to thirty. */
  processes: 2_048,
  /** Room for the packages of some large providers while they are fetched. */
  diskBytes: 8_589_934_592,
  patienceSeconds: 60,
} as const;

/** What one Dependency or OutputShare may name. */
export const linkLimits = {
  outputs: 64,
  /** Dependencies of one consumer. */
  dependencies: 64,
} as const;

/** What one Connection may hold. */
export const connectionLimits = {
  values: 64,
  valueBytes: 65_536,
  files: 16,
  fileBytes: 262_144,
  totalBytes: 524_288,
} as const;

/** Personal access tokens: how often the time of their use is written. */
export const patLimits = { useNotedEveryMs: 60_000 } as const;

/** Passwords (shapes 4); lengths are in Unicode code points. */
export const passwordLimits = {
  least: 12,
  most: 256,
  /** Computations at the same time, each of 64 MiB, and how many may wait for one. */
  atOnce: 2,
  waiting: 16,
  /** How long a sign-in link stands for the current password. */
  linkMinutes: 10,
} as const;

/** The two reads of the first screens (shapes 8.1). */
export const dashboardLimits = {
  notifiedWorkspaces: 12,
  notifications: 60,
  /** What is slower than this is left out. */
  deadlineMs: 2_000,
} as const;
