import { identityApi } from '#shared/identity/api';
import { ApiError, createClient } from '#shared/kernel/client';
import { keysApi } from '#shared/keys/api';
import { KeySourceName, type VaultStatus } from '#shared/keys/contract';
import { readPassphraseFile } from '../drivers/vault/index.ts';
import { readSettings, SettingError, type Settings } from '../kernel/settings.ts';
import type { Flags } from './flags.ts';
import { createSend } from './http-send.ts';
import { findOperatorServer, noServerMessage } from './operator-server.ts';
import { readNewPassphrase, readPassphrase } from './read-passphrase.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Prints where the key of a running server's vault is stored, and whether the vault is open. */
export const runVaultStatus = withServer(async ({ operator }) => {
  const { vault } = (await operator.getVaultAsOperator({})).body;
  for (const line of linesOf(vault)) say(line);
  return vault.sealed ? 1 : 0;
});

/** Unseals the vault: reads its keychain or key file again, or asks for its passphrase. */
export const runVaultUnseal = withServer(async ({ operator, settings }) => {
  const { vault } = (await operator.getVaultAsOperator({})).body;
  if (!vault.sealed) return done('The vault is already open.');
  const waits = vault.reason === 'passphrase_required' || vault.reason === 'passphrase_wrong';
  const passphrase = waits ? await passphraseOf(settings, 'Passphrase: ') : undefined;
  await operator.unsealVault({ body: { ...(passphrase !== undefined && { passphrase }) } });
  const after = (await operator.getVaultAsOperator({})).body.vault;
  if (after.sealed) throw new SettingError(after.message ?? 'The vault is still sealed.');
  return done('The vault is open.');
});

/** Creates new data keys; the server re-encrypts everything in the background. */
export const runVaultRotate = withServer(async ({ owner }) => {
  const client = await owner();
  await client.rotateKeys({});
  return done(
    'New keys are created. Everything is being re-encrypted with them. `groundctl vault status` shows the progress.',
  );
});

/** Creates a new master key and stores it in the place that `--to` names. */
export const runVaultChangeKey = withServer(async ({ owner, settings, flags }) => {
  const to = KeySourceName.safeParse(flags.to);
  if (!to.success) throw new SettingError('Name the location with --to keychain, --to file or --to passphrase.');
  const passphrase = to.data === 'passphrase' ? await newPassphrase(settings) : undefined;
  const client = await owner();
  const { body } = await client.changeKey({
    body: { source: to.data, ...(passphrase !== undefined && { passphrase }) },
  });
  return done(`The key is changed. It is kept in ${body.vault.place}.`);
});

function done(line: string): number {
  say(line);
  return 0;
}

function linesOf(vault: VaultStatus): string[] {
  const { job } = vault;
  const counted = job && `${job.resealed} values${job.unreadable > 0 ? `, ${job.unreadable} open with no key` : ''}`;
  return [
    vault.sealed ? `The vault is sealed. ${vault.message ?? ''}` : 'The vault is open.',
    ...(vault.place ? [`Its key is kept in ${vault.place}, since ${vault.keyMadeAt}.`] : []),
    ...(vault.keychainMissed ? ['No keychain was available at the first start, so the key is in a file.'] : []),
    ...(vault.oldKeys > 0 ? [`${vault.oldKeys} older keys are kept for plans, Runs or values that need them.`] : []),
    ...(job ? [`Re-encrypted (${job.kind}): ${counted}, ${job.finishedAt ? 'all done' : 'still running'}.`] : []),
  ];
}

const passphraseOf = async ({ passphraseFile }: Settings, prompt: string): Promise<string> =>
  (passphraseFile ? readPassphraseFile(passphraseFile)?.reveal() : undefined) ?? readPassphrase(prompt);

const newPassphrase = async ({ passphraseFile }: Settings): Promise<string> =>
  (passphraseFile ? readPassphraseFile(passphraseFile)?.reveal() : undefined) ?? readNewPassphrase();

type Server = {
  settings: Settings;
  flags: Flags;
  /** Operator routes, which also answer while the vault is sealed. */
  operator: ReturnType<typeof connect>;
  /** Client that is signed in as the owner of the installation. */
  owner: () => Promise<ReturnType<typeof connect>>;
};

const connect = (url: string, token: string) => createClient(keysApi, createSend(url, token));

function withServer(work: (server: Server) => Promise<number>): (flags: Flags) => Promise<number> {
  return async (flags) => {
    const settings = readSettings(process.env, flags);
    const server = findOperatorServer(settings);
    if (!server) throw new SettingError(noServerMessage);
    const { url, operatorUrl, token } = server;
    const send = createSend(operatorUrl, token);
    const owner = async () => {
      const { body } = await createClient(identityApi, send).issueSession({ body: {} });
      return connect(url, body.session.token);
    };
    return work({ settings, flags, operator: connect(operatorUrl, token), owner }).catch(explain);
  };
}

/** Reports a refused connection as "no server": a killed server leaves its runtime file behind. */
function explain(error: unknown): never {
  if (error instanceof ApiError) throw new SettingError(error.message);
  if (error instanceof TypeError) throw new SettingError(noServerMessage);
  throw error;
}
