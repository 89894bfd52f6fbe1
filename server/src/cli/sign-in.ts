import { identityApi } from '#shared/identity/api';
import { ApiError, createClient } from '#shared/kernel/client';
import { readSettings, SettingError, type Settings } from '../kernel/settings.ts';
import type { Flags } from './flags.ts';
import { createSend } from './http-send.ts';
import { findOperatorServer, noServerMessage } from './operator-server.ts';

/** Asks the server of a data folder for a fresh sign-in link and prints it. */
export async function runSignIn(flags: Flags): Promise<number> {
  process.stdout.write(`${await requestSignInLink(readSettings(process.env, flags))}\n`);
  return 0;
}

/** Returns a one-time sign-in link from the server that runs on a data folder. Throws `SettingError` when none runs. */
export async function requestSignInLink(settings: Pick<Settings, 'dataDir' | 'operatorToken'>): Promise<string> {
  const server = findOperatorServer(settings);
  if (!server) throw new SettingError(noServerMessage);
  const identity = createClient(identityApi, createSend(server.operatorUrl, server.token));
  const { body } = await identity.issueSignInLink({ body: {} }).catch(explain);
  return body.url;
}

/** Reports a refused connection as "no server": a killed server leaves its runtime file behind. */
function explain(error: unknown): never {
  if (error instanceof ApiError)
    throw new SettingError(
      `The server refused to make a link: ${error.message} SVC_OPERATOR_TOKEN wins over that file.`,
    );
  throw new SettingError(
    'No server answers on this data folder any more. Start one with: groundctl serve --data-dir DIR',
  );
}
