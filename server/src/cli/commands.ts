import { parseArgs } from 'node:util';
import { SettingError } from '../kernel/settings.ts';
import { StartError } from '../kernel/start-error.ts';
import type { Flags } from './flags.ts';

const usage = `Usage: groundctl COMMAND

  start [--data-dir DIR]                             serves this account's own data, and opens the browser signed in
  serve --data-dir DIR [--port N] [--host ADDRESS]   the headless server; N 0 takes the last port, or any
  demo [--exit]                                      installs a sample module from start to end
  sign-in --data-dir DIR                             prints a one-time sign-in link of a running server
  vault status --data-dir DIR                        says where the key of the data is kept, and whether it is open
  vault unseal --data-dir DIR                        opens a sealed vault; asks for the passphrase where it has one
  vault rotate --data-dir DIR                        makes new keys and seals everything anew with them
  vault change-key --to PLACE --data-dir DIR         keeps a new key in the keychain, a file or behind a passphrase
  tofu install --data-dir DIR                        brings the pinned OpenTofu into the data folder
  doctor --data-dir DIR [--json]                     looks the data folder over and says what to do; changes nothing
  audit verify --data-dir DIR [--json]               proves that the audit trail is as it was written
`;

const options = {
  'data-dir': { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  to: { type: 'string' },
  exit: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

/** Runs one command; the exit code tells success (0), failure (1) or wrong usage (2). */
export async function run(argv: string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true });
    if (values.help) return say(usage, 0);
    const flags: Flags = {
      exit: values.exit === true,
      json: values.json === true,
      ...(values['data-dir'] !== undefined && { dataDir: values['data-dir'] }),
      ...(values.port !== undefined && { port: values.port }),
      ...(values.host !== undefined && { host: values.host }),
      ...(values.to !== undefined && { to: values.to }),
    };
    return await dispatch(positionals.join(' '), flags);
  } catch (error) {
    if (error instanceof SettingError || error instanceof StartError) return say(`${error.message}\n`, 1);
    if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS'))
      return say(`${(error as Error).message}\n\n${usage}`, 2);
    throw error;
  }
}

/** Each command is loaded by itself: a server does not start slower for what the demo needs. */
const commands: Readonly<Record<string, () => Promise<(flags: Flags) => Promise<number>>>> = {
  start: async () => (await import('./start.ts')).runStart,
  serve: async () => (await import('./serve.ts')).runServe,
  demo: async () => (await import('./demo.ts')).runDemo,
  'sign-in': async () => (await import('./sign-in.ts')).runSignIn,
  doctor: async () => (await import('./doctor.ts')).runDoctor,
  'audit verify': async () => (await import('./audit-verify.ts')).runAuditVerify,
  'vault status': async () => (await import('./vault.ts')).runVaultStatus,
  'vault unseal': async () => (await import('./vault.ts')).runVaultUnseal,
  'vault rotate': async () => (await import('./vault.ts')).runVaultRotate,
  'vault change-key': async () => (await import('./vault.ts')).runVaultChangeKey,
  'tofu install': async () => (await import('./tofu-install.ts')).runTofuInstall,
};

async function dispatch(name: string, flags: Flags): Promise<number> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!load) return say(usage, name === '' ? 0 : 2);
  const command = await load();
  return command(flags);
}

function say(text: string, code: number): number {
  (code === 0 ? process.stdout : process.stderr).write(text);
  return code;
}
