import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readServerId } from '../compose/fence.ts';
import { awaitEarlierEnd, type TakenTerm, takeNextTerm, writePromotion } from '../compose/promotion.ts';
import { NatsError } from '../drivers/nats/index.ts';
import { openStoppedFolder } from '../index.ts';
import { AppError } from '../kernel/errors.ts';
import { failpoint } from '../kernel/failpoints.ts';
import { createLog, type Log } from '../kernel/log.ts';
import { removeTree } from '../kernel/remove-tree.ts';
import { readSettings, type Settings } from '../kernel/settings.ts';
import { StartError } from '../kernel/start-error.ts';
import { runTool } from '../runner/index.ts';
import { exitCodes, failed, wrongUse } from './exit-codes.ts';
import type { OptionValues, ParsedCommand } from './options.ts';
import { openPromotedFolder, type PromotedFolder } from './promoted-folder.ts';

const restoreMaxMs = 6 * 3_600_000;
const outputMaxChars = 2_000;
const restorePrefix = 'restore-';

type Promotion = {
  settings: Settings;
  log: Log;
  /** Configuration of Litestream for this machine. */
  config: string;
  program: string;
  /** Term of the copy. */
  term: number;
  unusedTerm: number | undefined;
};

/**
 * Makes this machine the server: ends the earlier ones at NATS, takes the next term and restores the ledger of the last
 * one. An interrupted promotion is repeated with the same command.
 */
export async function runPromote({ options }: ParsedCommand): Promise<number> {
  process.umask(0o077);
  const promotion = promotionOf(options);
  const folder = openPromotedFolder(promotion.settings.dataDir);
  try {
    return await promote(promotion, folder);
  } finally {
    folder.release();
  }
}

async function promote(promotion: Promotion, { staged, finish }: PromotedFolder): Promise<number> {
  const { dataDir } = promotion.settings;
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  // Nothing of the old server is touched before its copy and the key have proved to be good.
  await restore(promotion, staged);
  failpoint('promotion.restored');
  const names = { ...promotion, serverId: readServerId(staged) };
  const taken = await takeNextTerm(staged, names).catch(rethrowAsFailed);
  failpoint('promotion.taken');
  say(`The servers before this one are revoked at NATS, and this one has term ${taken.term}.`);
  await restore(promotion, staged);
  const jobs = await prepare(promotion, staged, taken);
  failpoint('promotion.prepared');
  await awaitEarlierEnd(taken);
  failpoint('promotion.waited');
  finish(taken.term);
  say(`${dataDir} holds the ledger of term ${promotion.term}. Jobs that machines hold: ${jobs}.`);
  say(`Start the server and Litestream: groundctl serve --data-dir ${dataDir}`);
  return exitCodes.done;
}

/** Turns a refusal of NATS or of the term into the error of a command. */
function rethrowAsFailed(error: unknown): never {
  if (error instanceof NatsError) throw failed(error.reason, error.message);
  if (error instanceof AppError) throw failed(error.code, error.message);
  throw error;
}

function promotionOf(options: OptionValues): Promotion {
  const { 'data-dir': dataDir, litestream, program = 'litestream' } = options;
  if (dataDir === undefined) throw wrongUse('Name the new data folder with --data-dir. It must be missing or empty.');
  if (litestream === undefined) throw wrongUse('Name the configuration of Litestream with --litestream FILE.');
  const settings = readSettings(process.env, { dataDir });
  if (settings.fence !== 'nats')
    throw new StartError('Set GROUNDCTL_NATS_URL and GROUNDCTL_FENCE_URL=nats, as on the earlier server.');
  return {
    settings,
    log: createLog(),
    config: path.resolve(litestream),
    program,
    term: termOf('--term', options.term) ?? 1,
    unusedTerm: termOf('--unused-term', options['unused-term']),
  };
}

function termOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw wrongUse(`${name} is a whole number from 1.`);
}

/** Restores the copy of a term into a folder. Throws `CommandError`. */
async function restore({ settings, config, program, term }: Promotion, folder: string): Promise<void> {
  removeRestores(folder);
  const restored = path.join(mkdtempSync(path.join(folder, restorePrefix)), 'ledger.db');
  const source = path.join(settings.dataDir, 'ledger.db');
  const argv = ['restore', '-config', config, '-integrity-check', 'full', '-o', restored, source];
  const env = { ...process.env, GROUNDCTL_TERM: String(term) };
  const { code, stdout, stderr } = await runTool({ file: program, argv, env, timeoutMs: restoreMaxMs });
  if (code !== 0 || !existsSync(restored)) {
    const said = `${stdout}${stderr}`.trim().slice(-outputMaxChars);
    throw failed('restore_failed', `Litestream could not restore the copy of term ${term}:\n${said}`);
  }
  const file = path.join(folder, 'ledger.db');
  for (const suffix of ['-wal', '-shm', '']) rmSync(file + suffix, { force: true });
  renameSync(restored, file);
}

/** Removes the folders of restores. Litestream of an interrupted command may still write to its own, so none is used twice. */
function removeRestores(folder: string): void {
  for (const name of readdirSync(folder)) if (name.startsWith(restorePrefix)) removeTree(path.join(folder, name));
}

/** Prepares the restored ledger for its next server. Returns the number of jobs that machines hold. */
async function prepare({ settings, log }: Promotion, folder: string, taken: TakenTerm): Promise<number> {
  const { db, domains, close } = await openStoppedFolder({ settings: { ...settings, dataDir: folder }, log });
  try {
    return db.write(() => {
      writePromotion(db, taken);
      const { term, serverId } = taken;
      const entry = { actorId: 'operator', action: 'fence.taken', targetType: 'fence', targetId: 'fence' } as const;
      domains.activity.record({ ...entry, metadata: { term, serverId } });
      return domains.remoteRuns.takeOver();
    });
  } finally {
    await close();
  }
}
