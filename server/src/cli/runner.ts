import { homedir, hostname } from 'node:os';
import path from 'node:path';
import type { ReportedFacts } from '#shared/runner-pools/contract';
import { foldersOf } from '../compose/app-context.ts';
import { locateTool, toolCopiesDir } from '../compose/tool-host.ts';
import { createToolManager, placementOf } from '../domains/execution/index.ts';
import { NatsError, readAuthorityFile } from '../drivers/nats/index.ts';
import { systemClock } from '../kernel/clock.ts';
import { lockDataDir } from '../kernel/db.ts';
import { productVersion } from '../kernel/entry.ts';
import { createLog, type Log } from '../kernel/log.ts';
import { trimMemoryWhenIdle } from '../kernel/memory-trim.ts';
import { isImplemented, nameOfSystem } from '../kernel/platforms.ts';
import { guardDataFolder } from '../kernel/private-folder.ts';
import { readSettings, type Settings } from '../kernel/settings.ts';
import { parseNatsAddresses } from '../kernel/settings-nats.ts';
import { StartError } from '../kernel/start-error.ts';
import { createRunner, jobFormat } from '../runner/index.ts';
import { type Identity, writeIdentity } from '../runner-machine/identity.ts';
import { startMachine } from '../runner-machine/machine.ts';
import { openIdentity } from '../runner-machine/open-identity.ts';
import { markReady, unmarkReady } from '../runner-machine/ready-file.ts';
import { AccessEnded, openSession } from '../runner-machine/session.ts';
import { CommandError, exitCodes, wrongUse } from './exit-codes.ts';
import type { OptionValues, ParsedCommand } from './options.ts';
import { untilStopped } from './serve.ts';

/** Reports of a machine to its server in the time of a lease. */
const beatsPerLease = 6;
const usualConcurrency = 2;
const maxConcurrency = 64;

/** Executes the Runs of a pool on this machine until SIGINT or SIGTERM. Supervisors continue, and the next start takes their Runs up. */
export async function runRunner({ options }: ParsedCommand): Promise<number> {
  process.umask(0o077);
  const log = createLog();
  const { 'data-dir': dataDir, enrol, concurrency } = options;
  const settings = readSettings(process.env, dataDir === undefined ? {} : { dataDir });
  const chosen = addressOf(options);
  guardDataFolder(settings.dataDir);
  const lock = lockDataDir(settings.dataDir);
  if (!lock) throw new StartError('Another process uses this data folder. Choose a folder of its own for the runner.');
  try {
    unmarkReady(settings.dataDir);
    const machine = createMachineHost(settings, log);
    const facts = await machine.facts(concurrencyOf(concurrency));
    const named = { name: hostname() || 'runner', productVersion: facts.productVersion };
    const identity = await openIdentity(settings.dataDir, { enrolment: enrol, chosen, facts: named });
    await work({ identity, settings, log, machine, facts });
    return exitCodes.done;
  } catch (error) {
    // A restart changes nothing before a person has acted.
    if (error instanceof AccessEnded)
      throw new CommandError(error.message, { exitCode: exitCodes.waits, code: 'access_ended' });
    throw error instanceof NatsError ? new StartError(error.message) : error;
  } finally {
    lock.release();
  }
}

/** Returns the address of NATS and the authority that the options name. Throws `SettingError` or `StartError`. */
const addressOf = ({ connect, authority }: OptionValues) => ({
  urls: connect === undefined ? undefined : parseNatsAddresses('--connect', connect),
  ca: authority === undefined ? undefined : readAuthorityFile('--authority', authority),
});

function concurrencyOf(text: string | undefined): number {
  if (text === undefined) return usualConcurrency;
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= maxConcurrency) return count;
  throw wrongUse(`--concurrency is a number from 1 to ${maxConcurrency}.`);
}

type MachineHost = ReturnType<typeof createMachineHost>;

/** The local supervisors, and what this machine can do. */
function createMachineHost(settings: Settings, log: Log) {
  const { dataDir, toolPath, shareNetwork, requireIsolatedNetwork } = settings;
  const runner = createRunner({
    standbyDir: path.join(dataDir, 'standby'),
    sharesNetwork: shareNetwork,
    toolCopies: toolCopiesDir(process.env, homedir()),
    log: (message) => log.warn({}, message),
  });
  const host = { dataDir, home: homedir(), env: process.env, settingPath: toolPath };
  const toolManager = createToolManager({
    runner,
    find: () => locateTool(host),
    installTool: () => Promise.reject(new StartError('A runner installs no tool.')),
    clock: systemClock,
    log,
    insistence: { sandbox: true, isolatedNetwork: requireIsolatedNetwork },
  });
  return {
    runner,
    findMachine: async () => placementOf(await toolManager.require()),
    /** Returns what the server needs to know of this machine. Throws `StartError` when it can execute no Run. */
    async facts(concurrency: number): Promise<ReportedFacts> {
      const found = await toolManager.current();
      if (!found) throw new StartError('No tool was found. Install it with groundctl tofu install --data-dir DIR.');
      const { tool, host: isolation } = found;
      if (isolation.sandbox !== 'bwrap')
        throw new StartError(
          isImplemented('runnerMachine')
            ? `A runner needs a sandbox. ${isolation.problem?.message ?? 'Install bubblewrap.'}`
            : `A runner needs a sandbox, and ${nameOfSystem(process.platform)} has none. Use a machine with Linux.`,
        );
      return {
        productVersion: productVersion(),
        jobFormatVersion: jobFormat,
        tool: { name: tool.name, version: tool.version },
        platform: `${process.platform}-${process.arch}`,
        sandbox: 'bwrap',
        network: isolation.network === 'isolated' ? 'isolated' : 'shared',
        concurrency,
      };
    },
  };
}

type Work = { identity: Identity; settings: Settings; log: Log; machine: MachineHost; facts: ReportedFacts };

async function work({ identity, settings, log, machine, facts }: Work): Promise<void> {
  const folders = foldersOf(settings);
  const session = await openSession({
    identity,
    facts: async () => facts,
    log,
    store: (jwt) => writeIdentity(settings.dataDir, { ...identity, jwt }),
  });
  const { runner, findMachine } = machine;
  try {
    await runner.endAllLeftovers(folders.capsules);
    runner.warm();
    const { concurrency } = facts;
    const beatMs = settings.runnerLeaseMs / beatsPerLease;
    const running = startMachine({ link: session.link, runner, folders, findMachine, log, concurrency, beatMs });
    const stopped = untilStopped();
    markReady(settings.dataDir);
    process.stdout.write(`This machine takes Runs of its pool (${identity.poolId}) as ${identity.runnerId}.\n`);
    trimMemoryWhenIdle();
    const end = await Promise.race([stopped, session.ended]);
    unmarkReady(settings.dataDir);
    await running.stop();
    if (end !== undefined) throw new AccessEnded(end);
  } finally {
    // An open connection would keep the process of a command that has failed.
    await runner.close();
    await session.close();
  }
}
