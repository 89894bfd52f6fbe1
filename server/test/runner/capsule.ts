import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { writeArchive } from '#server/drivers/archive/index';
import { openSealed } from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import type { Json } from '#shared/kernel/json';
import { type PlanDocument, parsePlanDocument } from '#shared/plans/document';
import { isAlive } from '../../src/os/process-identity.ts';
import type {
  ApplyOutcome,
  ExecutionSpec,
  JournalRecord,
  Outcome,
  PlanOutcome,
  ToolIdentity,
} from '../../src/runner/contract/execution-spec.ts';
import { readWholeJournal } from '../../src/runner/contract/journal.ts';
import { createRunner, type Runner } from '../../src/runner/runner.ts';
import { supervisorEntry } from './supervisor-entry.ts';

const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'groundctl');
export const tofu: ToolIdentity = { name: 'tofu', version: '1.12.6', path: path.join(cache, 'tofu/1.12.6/tofu') };
export const terraform: ToolIdentity = { name: 'terraform', version: '1.11.4', path: '/usr/local/bin/terraform' };

/** A data folder with runner and Capsules, as a server would keep them; `end` leaves no process and no file. */
export type Bench = { dir: string; runner: Runner; capsule(options: CapsuleOptions): Capsule; end(): Promise<void> };

type CapsuleOptions = {
  files: { readonly [path: string]: string };
  sandbox: 'bwrap' | 'none';
  tool?: ToolIdentity;
  modulePath?: string;
  variables?: { readonly [name: string]: Json };
  secrets?: readonly string[];
  ephemeral?: readonly string[];
  mirrorDir?: string;
  logBytes?: number;
  planSeconds?: number;
  writablePaths?: readonly string[];
};

export type Capsule = {
  dir: string;
  key: string;
  /** The ledger's part: state and lock as the last Runs left them. */
  state: { text: string; digest: string } | null;
  lock: string | null;
  spec(operation: ExecutionSpec['operation'], change?: Partial<ExecutionSpec>): ExecutionSpec;
  plan(change?: Partial<ExecutionSpec>): Promise<{ spec: ExecutionSpec; outcome: PlanOutcome }>;
  applySpec(plan: { spec: ExecutionSpec; outcome: PlanOutcome }, change?: Partial<ExecutionSpec>): ExecutionSpec;
  apply(
    plan: { spec: ExecutionSpec; outcome: PlanOutcome },
    change?: Partial<ExecutionSpec>,
  ): Promise<{ spec: ExecutionSpec; outcome: ApplyOutcome }>;
  run(spec: ExecutionSpec): Promise<Outcome>;
  commit(spec: ExecutionSpec, outcome: ApplyOutcome): void;
  setFiles(files: { readonly [path: string]: string }): void;
};

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

export function createBench(): Bench {
  const dir = mkdtempSync(path.join(tmpdir(), 'runner-'));
  const runner = createRunner({
    standbyDir: path.join(dir, 'standby'),
    entry: supervisorEntry,
    toolCopies: path.join(dir, 'copies'),
  });
  const runDirs: string[] = [];
  return {
    dir,
    runner,
    capsule: (options) => createCapsule({ dir, runner, runDirs }, options),
    async end() {
      await runner.close();
      for (const runDir of runDirs) killAll(runDir);
      killBelow(dir);
      const capsulesDir = path.join(dir, 'capsules');
      for (const name of existsSync(capsulesDir) ? readdirSync(capsulesDir) : [])
        await runner.endLeftovers(path.join(capsulesDir, name));
      removeTree(dir);
    },
  };
}

/** Ends leftover processes of a killed tool: every process that works below a folder. */
function killBelow(folder: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/`)) process.kill(Number(pid), 'SIGKILL');
    } catch {
      // Gone, or not readable for this user.
    }
  }
}

function killAll(runDir: string): void {
  for (const record of readWholeJournal(runDir)) {
    if ((record.t === 'spawned' || record.t === 'started') && isAlive(record.identity))
      process.kill(record.identity.pid, 'SIGKILL');
  }
}

type Shared = { dir: string; runner: Runner; runDirs: string[] };

function createCapsule(shared: Shared, options: CapsuleOptions): Capsule {
  const id = randomUUID().slice(0, 8);
  const dir = path.join(shared.dir, 'capsules', id);
  let archive = archiveOf(shared.dir, options.files);
  const key = randomBytes(32).toString('base64');
  const capsule: Capsule = {
    dir,
    key,
    state: null,
    lock: null,
    setFiles(files) {
      archive = archiveOf(shared.dir, files);
    },
    spec(operation, change) {
      const runId = randomUUID();
      const runDir = path.join(shared.dir, 'runs', runId);
      shared.runDirs.push(runDir);
      return {
        formatVersion: 1,
        mode: 'run',
        operation,
        runId,
        capsuleId: id,
        runDir,
        capsuleDir: dir,
        archive,
        modulePath: options.modulePath ?? '.',
        tool: options.tool ?? tofu,
        sandbox: options.sandbox,
        providers: {
          storeDir: path.join(shared.dir, 'providers'),
          ...(options.mirrorDir === undefined ? {} : { mirrorDir: options.mirrorDir }),
        },
        variables: options.variables ?? {},
        ...(options.writablePaths && { writablePaths: options.writablePaths }),
        ephemeralVariables: options.ephemeral ?? [],
        secrets: options.secrets ?? [],
        sealing: { keyVersion: 1, encryptionKey: key, decryptionKey: key },
        state: capsule.state,
        lock: capsule.lock,
        plan: null,
        limits: { initSeconds: 60, planSeconds: options.planSeconds ?? 60, logBytes: options.logBytes ?? 1_000_000 },
        ...change,
      };
    },
    async run(spec) {
      await shared.runner.start(spec);
      const end = await shared.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
      expect(end).toBe('ended');
      return outcomeIn(spec.runDir) as Outcome;
    },
    async plan(change) {
      const spec = capsule.spec('plan', change);
      const outcome = await capsule.run(spec);
      if (outcome.kind !== 'plan') expect.fail(`${JSON.stringify(outcome)}\n${describeRun(spec.runDir)}`);
      capsule.lock = outcome.lock;
      return { spec, outcome };
    },
    applySpec: ({ spec, outcome }, change) =>
      capsule.spec('apply', {
        plan: planOf(spec, outcome),
        lock: outcome.lock,
        ...change,
      }),
    async apply(plan, change) {
      const spec = capsule.applySpec(plan, change);
      const outcome = await capsule.run(spec);
      if (outcome.kind !== 'apply') expect.fail(`${JSON.stringify(outcome)}\n${describeRun(spec.runDir)}`);
      capsule.commit(spec, outcome);
      return { spec, outcome };
    },
    commit(spec, outcome) {
      if (outcome.state === undefined) return;
      const text = openSealed(readFileSync(path.join(spec.runDir, outcome.state.file)), key).toString();
      expect(digestOf(text)).toBe(outcome.state.digest);
      capsule.state = { text, digest: outcome.state.digest };
    },
  };
  return capsule;
}

export const documentOf = (runDir: string, { projectionFile }: PlanOutcome): PlanDocument =>
  parsePlanDocument(readFileSync(path.join(runDir, projectionFile), 'utf8'));

const planOf = ({ runDir }: ExecutionSpec, outcome: PlanOutcome): ExecutionSpec['plan'] => ({
  runDir,
  digest: outcome.planFileDigest,
  addresses: outcome.addresses,
  changes: documentOf(runDir, outcome).resources,
  ...(outcome.builtDigest === undefined ? {} : { builtDigest: outcome.builtDigest }),
});

function archiveOf(dir: string, files: { readonly [path: string]: string }): ExecutionSpec['archive'] {
  const entries = Object.entries(files).map(([name, text]) => ({
    path: name,
    executable: name.endsWith('.sh'),
    bytes: Buffer.from(text),
  }));
  const { path: file, digest } = writeArchive({ dir: path.join(dir, 'archives'), entries });
  return { path: file, digest };
}

export const recordsOf = (runDir: string): JournalRecord[] => [...readWholeJournal(runDir)];

export function outcomeIn(runDir: string): Outcome | undefined {
  const last = recordsOf(runDir).at(-1);
  return last?.t === 'outcome' ? last.outcome : undefined;
}

/** The journal and the output of the supervisor, for a failing test. */
export function describeRun(runDir: string): string {
  const logs = readdirSync(runDir)
    .filter((name) => name.endsWith('.log'))
    .map((name) => readFileSync(path.join(runDir, name), 'utf8'));
  return [...recordsOf(runDir).map((record) => JSON.stringify(record)), ...logs].join('\n');
}

/** Addresses in the committed state. */
export function addressesIn(capsule: Capsule): string[] {
  const state = JSON.parse(capsule.state?.text ?? '{"resources":[]}') as {
    resources: { type: string; name: string; instances: { index_key?: number }[] }[];
  };
  return state.resources.flatMap(({ type, name, instances }) =>
    instances.map(({ index_key: key }) => `${type}.${name}${key === undefined ? '' : `[${key}]`}`),
  );
}

/** Every regular file below some folders, as Latin-1 text. */
export function* filesBelow(...folders: string[]): Generator<{ file: string; text: string }> {
  for (const folder of folders) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const file = path.join(folder, name);
      if (statSync(file, { throwIfNoEntry: false })?.isFile()) yield { file, text: readFileSync(file, 'latin1') };
    }
  }
}

/** Resolves with the first record that satisfies a test. */
export async function awaitRecord(
  runner: Runner,
  runDir: string,
  isWanted: (record: JournalRecord) => boolean,
): Promise<void> {
  const stop = new AbortController();
  const seen = runner
    .follow(runDir, {
      fromOffset: 0,
      signal: stop.signal,
      onRecords: (records) => (records.some(isWanted) ? stop.abort() : undefined),
    })
    .catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
  await seen;
}
