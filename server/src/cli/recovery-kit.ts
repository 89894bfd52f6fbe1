import { readFileSync } from 'node:fs';
import { ApiError, createClient } from '#shared/kernel/client';
import { keysApi } from '#shared/keys/api';
import { checkKit, restoreKey } from '../compose/key-restore.ts';
import { openRecoveryKit, type RecoveryKit, RecoveryKitError } from '../domains/keys/index.ts';
import { readSettings, type Settings } from '../kernel/settings.ts';
import { sayBackupError } from './backup-errors.ts';
import { decryptWithOf, encryptForOf } from './backup-keys.ts';
import { exitCodes, failed, wrongUse } from './exit-codes.ts';
import { createSend } from './http-send.ts';
import { writePrivateFile } from './new-file.ts';
import { findOperatorServer, noServerMessage } from './operator-server.ts';
import type { OptionValues, ParsedCommand } from './options.ts';

/** Writes a kit of the running server into a new file, which only its owner may read. */
export async function runKitCreate({ args, options }: ParsedCommand): Promise<number> {
  const [file = ''] = args;
  const client = connect(settingsOf(options));
  const body = bodyOf(await encryptForOf(options));
  const { text } = (await client.createRecoveryKitAsOperator({ body }).catch(explainRefusal)).body;
  writePrivateFile(file, text);
  return say(`The recovery kit is in ${file}. Keep it away from this machine, and its passphrase in another place.`);
}

/** Opens a kit and compares it with a data folder. */
export async function runKitCheck({ args, options }: ParsedCommand): Promise<number> {
  const { dataDir } = settingsOf(options);
  const kit = await openKit(args[0] ?? '', options);
  sayKitError(() => checkKit(dataDir, kit));
  return say(`The kit of ${kit.createdAt} opens, and holds the key of ${dataDir}.`);
}

/** Puts the key of a kit back where this machine keeps keys. */
export async function runRestoreKey({ args, options }: ParsedCommand): Promise<number> {
  const settings = settingsOf(options);
  const kit = await openKit(args[0] ?? '', options);
  const place = await sayBackupError(() => restoreKey(settings, kit)).catch(explainKit);
  return say(`The key is back in ${place}. Start the server.`);
}

const settingsOf = ({ 'data-dir': dataDir }: OptionValues): Settings =>
  readSettings(process.env, { ...(dataDir !== undefined && { dataDir }) });

function connect(settings: Settings) {
  const server = findOperatorServer(settings);
  if (!server) throw failed('no_server', noServerMessage);
  return createClient(keysApi, createSend(server.operatorUrl, server.token));
}

function bodyOf(target: Awaited<ReturnType<typeof encryptForOf>>) {
  if ('passphrase' in target) return { passphrase: target.passphrase };
  const [recipient, ...others] = target.recipients;
  if (others.length > 0) throw wrongUse('A kit has one recipient. Create another kit for the next one.');
  return { recipient };
}

async function openKit(file: string, options: OptionValues): Promise<RecoveryKit> {
  const text = await sayBackupError(async () => readFileSync(file, 'utf8'));
  const key = await decryptWithOf(options);
  return openRecoveryKit(text, key).catch(explainKit);
}

function sayKitError(work: () => void): void {
  try {
    work();
  } catch (error) {
    explainKit(error);
  }
}

function explainKit(error: unknown): never {
  throw error instanceof RecoveryKitError ? failed('kit_refused', error.message) : error;
}

function explainRefusal(error: unknown): never {
  if (error instanceof ApiError) throw failed(error.code, error.message);
  if (error instanceof TypeError) throw failed('no_server', noServerMessage);
  throw error;
}

function say(line: string): number {
  process.stdout.write(`${line}\n`);
  return exitCodes.done;
}
