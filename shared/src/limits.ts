/** Sizes in bytes, times in the unit of their name; published under these names in `/capabilities`. */
export const limits = {
  jsonBodyBytes: 1_048_576,
  formBodyBytes: 32_768,
  /** Of a state that is uploaded. */
  importStateBytes: 67_108_864,
  pageMax: 100,
  runPageMax: 500,
  logPageMax: 5_000,
  configurationRequestBytes: 524_288,
  variablesBytes: 262_144,
  archiveBytes: 268_435_456,
  archiveFiles: 20_000,
  logBytes: 67_108_864,
  queuedRunsPerCapsule: 20,
  /** Of one account in one Workspace. */
  favorites: 100,
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
  /** Event streams that one account may have open. */
  eventStreamsPerAccount: 64,
  planTtlHours: 168,
  /** An installation or an update without a step for this long is ended. */
  abandonedPlanDays: 7,
  scanSeconds: 25,
} as const;

/** Code points that a new passphrase needs. */
export const passphraseMinCharacters = 12;

/**
 * Items on a page of a list: the maximum, and the default without `limit`. A larger limit is reduced to the maximum, or
 * refused where a list says so.
 */
export type PageSize = { readonly max: number; readonly usual: number; readonly refusesMore?: boolean };
export const pageSizes = {
  list: { max: limits.pageMax, usual: 100 },
  /** Runs and activity. */
  runs: { max: limits.runPageMax, usual: 100 },
  /** Lines of a log, and changes of a plan. */
  log: { max: limits.logPageMax, usual: 1_000 },
  /** Resources of a state, with their attributes. */
  resources: { max: limits.runPageMax, usual: 100 },
  /** Personal access tokens. */
  tokens: { max: 200, usual: 50 },
  tokenInventory: { max: 100, usual: 50, refusesMore: true },
  /** Matches of a search, which has no further pages. */
  search: { max: 50, usual: 20 },
  /** Items of one kind that needs attention. */
  attention: { max: limits.pageMax, usual: 50 },
  /** Parts of the first screens. */
  overviewWorkspaces: { max: limits.pageMax, usual: 50 },
  overviewActivity: { max: 100, usual: 50 },
  overviewConfigs: { max: 200, usual: 200 },
} as const satisfies Record<string, PageSize>;

/** Length of an `Idempotency-Key`, in bytes. */
export const idempotencyKeyBytes = { min: 1, max: 256 } as const;

/** Bounds of what is stored of a commit: bytes of its message, characters of its subject and of the author's name. */
export const commitLimits = { messageBytes: 8_192, subjectLength: 500, nameLength: 200 } as const;

/** Bounds of a backup archive: number of members, and bytes of one, of all, of the manifest, and of one path or name. */
export const backupLimits = {
  members: 500_000,
  memberBytes: 1_099_511_627_776,
  totalBytes: 1_099_511_627_776,
  manifestBytes: 134_217_728,
  /** Of a member that is read into memory and never written. */
  unwrittenBytes: 1_048_576,
  pathBytes: 4_096,
  nameBytes: 255,
  /** Of the files that applies left: one of them, those of one Capsule, and those of all Capsules. */
  leftFileBytes: 1_073_741_824,
  leftTreeBytes: 4_294_967_296,
  leftTreeFiles: 50_000,
  leftFiles: 400_000,
} as const;

/**
 * Runner machines: time for which an enrolment may be used, least time between two writes of a machine's last beat, and
 * time after the last beat for which a machine counts as live.
 */
export const runnerLimits = { enrolmentMinutes: 15, seenEveryMs: 10_000, liveMs: 45_000 } as const;

/** Backups of one Workspace that are queued or made. */
export const queuedBackupsPerWorkspace = 5;

/** Bounds of reading code from the archives of snapshots. */
export const codeLimits = {
  seconds: 20,
  /** Largest file of which lines are shown. */
  fileBytes: 2_097_152,
  linesPerRead: 200,
  /** Characters of one line. */
  lineLength: 2_000,
  readmeBytes: 131_072,
  /** Of one comparison: files that are listed, and of those with lines the bytes of each and of all on one side. */
  comparedFiles: 1_000,
  comparedFileBytes: 262_144,
  comparedBytes: 16_777_216,
  /** Of its answer: lines of one file and of all, and their characters. */
  differenceLinesPerFile: 4_000,
  differenceLines: 20_000,
  differenceLength: 2_097_152,
  /** Of the search for the difference of one file, and of all. */
  differenceMs: 1_000,
  differencesMs: 4_000,
} as const;

/** Bounds of the making of installable copies: revisions that are worked on concurrently, and time for one and for its assembly. */
export const copyLimits = { concurrent: 2, seconds: 1_800, assemblySeconds: 120, checkSeconds: 300 } as const;

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

/** Limits of a source-options document; lengths are in Unicode code points. */
export const sourceOptionsLimits = {
  options: 32,
  titleLength: 160,
  descriptionLength: 2_000,
  /** Largest number of problems that are reported for one document. */
  problems: 20,
} as const;

/** Calls a minute: from one client address, of one account, for one Source, and for one e-mail. */
export type RateRule = {
  readonly perAddress?: number;
  readonly perAccount?: number;
  readonly perSource?: number;
  /** Counted by the sign-in domain, once it knows the e-mail: not every body contains one. */
  readonly perEmail?: number;
};

/** Calls a minute; routes with the same rule share one budget. */
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
  webhookTests: { perAccount: 20 },
  /** Each request is mailed to everyone who may approve. */
  approvalRequests: { perAccount: 20 },
} as const satisfies Record<string, RateRule>;
export type RateName = keyof typeof rateLimits;

/** Calls a minute of one account, over all routes together, on a server that other machines reach. */
export const callsPerAccount = 1_200;

/** Listing the tags of a repository while a person waits. */
export const listingLimits = { seconds: 20 } as const;

/** Intervals of Source watching. */
export const watchLimits = {
  pollMs: 3_600_000,
  polledPerTick: 5,
  /** Spread between two ticks, so that Sources that are due together do not sync together. */
  tickGapMs: 60_000,
} as const;

/** Intervals of scheduled drift checks. */
export const driftLimits = {
  /** Delay before a check that could not start is tried again. */
  retryMs: 3_600_000,
  /** Number of scheduled checks without findings that a Capsule keeps. */
  retainedChecks: 30,
} as const;

/** Limits of the repository manifest; lengths are in Unicode code points. */
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
  /** Of an Interface in a form package: the name of a Resource and a dash stand before it. */
  publishedNameLength: 64,
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
  /** Largest number of problems that are reported for one document. */
  problems: 20,
} as const;

/** Limits of Interfaces and of making them after an apply. */
export const interfaceLimits = {
  labels: 32,
  conditions: 16,
  pointerLength: 1_024,
  /** Of all resolved values of one Interface together. */
  resolvedBytes: 65_536,
  /** Delays before each attempt to make the Interfaces of an apply. */
  attemptDelaysMs: [0, 10_000, 60_000, 300_000, 1_800_000],
} as const;

/** Default resource limits of one command of a Run; the settings `GROUNDCTL_RUN_*` change them. */
export const runAllowances = {
  /** Or half of the machine's memory, where that is more. */
  leastMemoryBytes: 2_147_483_648,
  /** Threads count too: the tool and each provider have ten to thirty. */
  processes: 2_048,
  /** Disk space for the packages of some large providers while they are fetched. */
  diskBytes: 8_589_934_592,
  patienceSeconds: 60,
} as const;

/** Limits of one Dependency or OutputShare. */
export const linkLimits = {
  outputs: 64,
  /** Dependencies of one consumer. */
  dependencies: 64,
} as const;

/** Limits of one Connection. */
export const connectionLimits = {
  values: 64,
  valueBytes: 65_536,
  files: 16,
  fileBytes: 262_144,
  totalBytes: 524_288,
} as const;

/** Bounds of the credentials that a Run requests when it starts, and of their revocation after it. */
export const runCredentialLimits = {
  /** Time of one request, and bytes of its answer. */
  answerMs: 30_000,
  answerBytes: 262_144,
  /** Longest life of a credential where a policy has `requireTtlEnforced`. */
  longestSeconds: 86_400,
  /** Newest Runs of a Capsule whose credentials later Runs redact too. */
  rememberedRuns: 20,
  /** Waits after each failed revocation, in seconds; the last one repeats. */
  retrySeconds: [2, 10, 60, 300, 900],
  /** Time after the first attempt at which a revocation is given up. */
  revokeHours: 24,
} as const;

/** Bounds of the webhooks of one Workspace, and of one delivery. */
export const webhookLimits = {
  webhooks: 10,
  urlLength: 2_048,
  /** Deliveries that wait; further ones displace the oldest. */
  pending: 500,
  /** Concurrent attempts of a Workspace, and of the server. */
  atOnce: 2,
  atOnceOnServer: 16,
  connectMs: 5_000,
  totalMs: 10_000,
  /** Bytes of an answer that are read, and discarded. */
  answerBytes: 4_096,
  /** Waits after each failed attempt, in seconds: the last attempt is a day after the first. */
  retrySeconds: [5, 60, 300, 1_800, 3_600, 7_200, 14_400, 28_800, 30_600],
  /** Longest time for which failures of a webhook delay its other deliveries. */
  pauseSeconds: 300,
  /** Part of a wait that is added at random. */
  jitter: 0.1,
  /** Time for which deliveries are signed with the previous secret too. */
  secretOverlapHours: 24,
  /** Finished deliveries of one webhook that stay in its log, and their age. */
  loggedDeliveries: 500,
  loggedDays: 30,
} as const;

/** Personal access tokens: interval at which the time of last use is written. */
export const patLimits = { useNotedEveryMs: 60_000 } as const;

/** Mail to people. */
export const mailLimits = {
  /** Mails of one account that wait to be sent; further ones are left out. */
  waitingPerAccount: 100,
  /** Time after which a mail that could not be sent is given up. */
  retriedHours: 24,
  /** A link in a mail opens for five minutes, so its mail is given up sooner. */
  resetRetriedHours: 1,
  /** Time for one attempt, whatever the mail server does. */
  attemptSeconds: 60,
  /** Resource addresses that one mail lists. */
  addresses: 10,
} as const;

/** Plans that wait for one person: the most that are counted, and requests that are listed. */
export const waitingLimits = { counted: 100, requests: 50 } as const;

/** Passwords; lengths are in Unicode code points. */
export const passwordLimits = {
  least: 12,
  most: 256,
  /** Concurrent computations, each of 64 MiB, and the length of their queue. */
  atOnce: 2,
  waiting: 16,
  /** Time for which a sign-in link replaces the current password. */
  linkMinutes: 10,
} as const;

/** The two reads of the first screens. */
export const dashboardLimits = {
  notifiedWorkspaces: 12,
  notifications: 60,
  /** Time after which a slow part is left out. */
  deadlineMs: 2_000,
} as const;

/** Longest text of a search. */
export const maxSearchLength = 256;

/** Copies that a schedule of backups keeps at most. */
export const backupScheduleLimits = {
  copies: 365,
  /** Age of the newest copy after which daily backups are overdue. */
  overdueMs: 36 * 3_600_000,
} as const;

/** Bounds of the files in `forms/`. */
export const formPackageLimits = {
  files: 256,
  /** Names in the folder that are read at all. */
  names: 4_096,
  fileBytes: 262_144,
  /** With the body of the request that installs it, which may be 64 levels deep. */
  depth: 60,
  nodes: 16_384,
  descriptionLength: 2_000,
  spaces: 1_000,
  /** Largest number of problems that are reported for one file. */
  problems: 50,
} as const;

/** Bounds of the schemas of forms; times are those of one request. */
export const formSchemaLimits = {
  patternLength: 1_024,
  problems: 50,
  messageLength: 300,
  compileMs: 10_000,
  validateMs: 1_000,
  /** With the start of the worker. */
  workerMs: 30_000,
  cachedSchemas: 64,
} as const;

/** Bounds of the form host. */
export const formHostLimits = {
  /** Of the file of one native object: a body of the largest size, and its owner. */
  nativeBytes: 1_064_960,
  /** Time for which an operation waits for another one of the same Resource. */
  busyMs: 10_000,
  /** Differences of one Resource that are listed one by one. */
  driftedFields: 200,
  /** Events of one Resource that its history lists. */
  events: 500,
  /** Time for which a repeated operation is recognized. */
  operationDays: 7,
} as const;
