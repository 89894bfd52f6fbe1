import { homedir } from 'node:os';
import type { VaultStatus } from '#shared/keys/contract';
import { type RunningServer, startServer } from '../index.ts';
import { createConsoleLog } from '../kernel/log.ts';
import { trimMemoryWhenIdle } from '../kernel/memory-trim.ts';
import { defaultDataDir, readSettings, type Settings } from '../kernel/settings.ts';
import { writeSignInPage } from '../kernel/sign-in-page.ts';
import { StartError } from '../kernel/start-error.ts';
import type { Flags } from './flags.ts';
import { openBrowser } from './open-browser.ts';
import { closeAfter, untilStopped } from './serve.ts';
import { requestSignInLink } from './sign-in.ts';

const here = { env: process.env, platform: process.platform };
const say = (line: string) => process.stdout.write(`${line}\n`);

/** Serves the data folder of this account and opens the dashboard, signed in, in the browser. For one person on one machine. */
export async function runStart(flags: Flags): Promise<number> {
  const { env, platform } = here;
  const dataDir = flags.dataDir ?? (env['GROUNDCTL_DATA_DIR'] || defaultDataDir(env, homedir(), platform));
  const settings = readSettings(env, { ...flags, dataDir, isPersonal: true });
  const server = await startOrShowRunning(settings);
  if (!server) return 0;
  say(`Ground Control serves ${server.url}, with its data in ${settings.dataDir}`);
  sayVault(server.vault());
  await show(server.createSignInLink(), settings.dataDir);
  const stopped = untilStopped();
  say('Press Ctrl-C to stop it.');
  trimMemoryWhenIdle();
  return closeAfter(stopped, server);
}

/** Prints where the master key is stored, when it is not in the expected place. */
function sayVault({ sealed, message, keychainMissed, place }: VaultStatus): void {
  if (sealed) say(`The vault is sealed. ${message} Then run: groundctl vault unseal`);
  else if (keychainMissed) say(`No keychain is available, so the key of this data is in ${place}`);
}

/** Starts the server, or opens the dashboard of a server that already runs. */
async function startOrShowRunning(settings: Settings): Promise<RunningServer | undefined> {
  try {
    return await startServer({ settings, log: createConsoleLog(), prefersKeychain: true });
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    const link = await requestSignInLink(settings).catch(() => undefined);
    if (!link) throw error;
    say(`Ground Control already serves ${new URL(link).origin}`);
    await show(link, settings.dataDir);
    return undefined;
  }
}

/** Always prints the link, because there is no way to detect whether the browser has shown it. */
async function show(link: string, dataDir: string): Promise<void> {
  const isOpened = await openBrowser(writeSignInPage(dataDir, link), here);
  say(`${isOpened ? 'The browser was opened with' : 'Open in a browser'}: ${link}  (once, within five minutes)`);
}
