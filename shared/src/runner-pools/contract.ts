import { z } from 'zod';
import { id } from '../kernel/id.ts';
import { Count, Timestamp } from '../kernel/scalars.ts';
import { RunnerPoolId } from '../runs/contract.ts';
import { machineStates } from './machine.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what is refused
const noControl = /^[^\u0000-\u001f\u007f]*$/;
const shownText = (max: number) => z.string().trim().min(1).max(max).regex(noControl);

/** Name that people give a pool; unique among the pools that were not removed, also in another case. */
export const PoolName = shownText(64);
/** Text for the people who operate the installation. An empty one removes the note. */
export const PoolNote = z.string().trim().max(500).regex(noControl);

/** The tool of a machine, which is that of the Runs it executes. */
export const MachineTool = z.strictObject({ name: z.enum(['tofu', 'terraform']), version: shownText(64) });
export type MachineTool = z.infer<typeof MachineTool>;

/** Facts that a machine reports of itself with its beats. */
export const ReportedFacts = z.strictObject({
  productVersion: shownText(64),
  /** Newest format of jobs that it reads. */
  jobFormatVersion: z.int().min(1).max(1_000),
  /** Absent while it has none. */
  tool: MachineTool.optional(),
  /** Operating system and processor, such as `linux-x64`. */
  platform: shownText(33),
  sandbox: z.enum(['bwrap', 'none']),
  network: z.enum(['isolated', 'shared', 'none']),
  /** Runs that it executes at once. */
  concurrency: z.int().min(0).max(256),
});
export type ReportedFacts = z.infer<typeof ReportedFacts>;

/** Facts of a machine. Until its first beat only its name and version are known. */
export const MachineFacts = ReportedFacts.partial().extend({
  /** Name of the machine, for people. */
  name: shownText(255),
  productVersion: shownText(64),
});
export type MachineFacts = z.infer<typeof MachineFacts>;

/**
 * Difference of a machine from its server in the format of jobs: the machine reads an older or a newer one than the
 * server writes, and gets no Runs.
 */
export const VersionSkew = z.enum(['older', 'newer']);
export type VersionSkew = z.infer<typeof VersionSkew>;

/** Live machines that get no Runs, because they are older or newer than the server. */
export const SkewedMachines = z.strictObject({ older: Count, newer: Count });
export type SkewedMachines = z.infer<typeof SkewedMachines>;

/** Public keys that a machine made when it enrolled. */
export const MachineKeys = z.strictObject({
  /** NKey of a user of NATS, in base32. */
  publicKey: z.string().regex(/^U[A-Z2-7]{55}$/),
  /** X25519 key that jobs are sealed to. */
  sealKey: z.base64().length(44),
});
export type MachineKeys = z.infer<typeof MachineKeys>;

/** Runs of a pool that have not ended. */
export const PoolQueue = z.strictObject({
  waiting: Count,
  /** Creation of the oldest Run that waits. */
  oldestWaitingAt: Timestamp.optional(),
  running: Count,
});
export type PoolQueue = z.infer<typeof PoolQueue>;

export const RunnerPool = z.strictObject({
  id: id('runnerPool'),
  name: z.string(),
  note: z.string().optional(),
  createdAt: Timestamp,
  createdBy: z.string(),
  queue: PoolQueue,
  /** Machines that are not revoked, and those of them that have reported within the last 45 seconds. */
  machines: Count,
  liveMachines: Count,
  skewedMachines: SkewedMachines,
  /** Tools of the live machines; with more than one, a plan and its apply can meet different versions. */
  tools: z.array(MachineTool),
});
export type RunnerPool = z.infer<typeof RunnerPool>;

export const RunnerMachine = z.strictObject({
  id: id('runnerMachine'),
  poolId: id('runnerPool'),
  poolName: z.string(),
  ...MachineFacts.shape,
  ...MachineKeys.shape,
  state: z.enum(machineStates),
  isLive: z.boolean(),
  /** Runs that it executes now, also those that it no longer reports. */
  runningRuns: Count,
  /** Difference for which it gets no Runs; absent for a machine of the server's format. */
  versionSkew: VersionSkew.optional(),
  enrolledAt: Timestamp,
  lastSeenAt: Timestamp.optional(),
  revokedAt: Timestamp.optional(),
  revokedBy: z.string().optional(),
});
export type RunnerMachine = z.infer<typeof RunnerMachine>;

export const enrolmentStatuses = ['open', 'used', 'expired', 'cancelled'] as const;

/** A one-time right to join a pool. Its token is stored only as SHA-256. */
export const RunnerEnrolment = z.strictObject({
  id: id('runnerEnrolment'),
  poolId: id('runnerPool'),
  status: z.enum(enrolmentStatuses),
  createdAt: Timestamp,
  createdBy: z.string(),
  expiresAt: Timestamp,
  usedAt: Timestamp.optional(),
  machineId: id('runnerMachine').optional(),
});
export type RunnerEnrolment = z.infer<typeof RunnerEnrolment>;

/** A pool as members of a Workspace see it. */
export const WorkspacePool = z.strictObject({
  id: RunnerPoolId,
  name: z.string(),
  /** False for a pool that the Workspace could use earlier; the Runs of that time still name it. */
  isAllowed: z.boolean(),
  isDefault: z.boolean(),
  /** Counts the Runs of every Workspace. */
  queue: PoolQueue,
  /** Absent for `local`, as are the following. */
  liveMachines: Count.optional(),
  skewedMachines: SkewedMachines.optional(),
  /** Tools of the live machines that get Runs, without repeats. */
  tools: z.array(MachineTool).optional(),
  /** Network of Runs on these machines, the least separate one; absent while there is none. */
  network: ReportedFacts.shape.network.optional(),
});
export type WorkspacePool = z.infer<typeof WorkspacePool>;

const filePath = z.string().min(1).max(1_024).regex(noControl);

/** Facts of the machine of a NATS server, for its configuration. */
export const NatsConfigurationQuery = z.strictObject({
  /** Address and port that clients connect to, such as `0.0.0.0:4222`. */
  listen: z.string().min(1).max(300),
  /** Folder of its data. */
  folder: filePath,
  /** Files of the certificate and its key; both or none. Machines then connect with TLS. */
  certificate: filePath.optional(),
  key: filePath.optional(),
  /** Name of a member of a cluster; with `clusterListen` and `routes`. */
  serverName: z.string().min(1).max(64).optional(),
  /** Address and port that the other members connect to. */
  clusterListen: z.string().min(1).max(300).optional(),
  /** Addresses and ports of the members, separated by commas. */
  routes: z.string().min(1).max(4_096).optional(),
  /** File of the authority that signs the certificates of the members and nothing else; with `certificate`. */
  clusterAuthority: filePath.optional(),
});
export type NatsConfigurationQuery = z.infer<typeof NatsConfigurationQuery>;

/** Pools that a Workspace may use besides `local`, and the one of Capsules that choose none. */
export const AllowedPools = z.strictObject({
  poolIds: z.array(id('runnerPool')).max(100),
  defaultPoolId: RunnerPoolId,
});
export type AllowedPools = z.infer<typeof AllowedPools>;
