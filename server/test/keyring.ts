import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { vi } from 'vitest';

/** A private Secret Service on a private bus, with an empty home. */
export type Keyring = {
  /** Variables by which a process finds it. */
  env: Record<string, string>;
  /** The same keyring as after a restart of the machine, before the password was entered. */
  lock(): Promise<void>;
  unlock(): Promise<void>;
  /** Ends both programs and removes their files. */
  close(): Promise<void>;
};

const programs = ['/usr/bin/dbus-daemon', '/usr/bin/gnome-keyring-daemon', '/usr/bin/dbus-send'];

/** Reason why this machine cannot have a keyring; undefined where it can. */
export function findKeyringUnavailableReason(): string | undefined {
  const missing = programs.filter((file) => {
    try {
      accessSync(file, constants.X_OK);
      return false;
    } catch {
      return true;
    }
  });
  return missing.length === 0 ? undefined : `missing here: ${missing.join(', ')}`;
}

export async function startKeyring(): Promise<Keyring> {
  const [busFile = '', keyringFile = ''] = programs;
  const home = mkdtempSync(path.join(os.tmpdir(), 'gc-keyring-'));
  const runtime = path.join(home, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  const base = { PATH: '/usr/bin:/bin', HOME: home, XDG_RUNTIME_DIR: runtime };
  const bus = spawn(busFile, ['--session', '--nofork', '--print-address', '--nopidfile'], {
    env: base,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const env = { ...base, DBUS_SESSION_BUS_ADDRESS: await firstLine(bus.stdout) };
  let keyring = await startDaemon(keyringFile, env, true);
  const again = async (isUnlocked: boolean) => {
    await end(keyring);
    keyring = await startDaemon(keyringFile, env, isUnlocked);
  };
  return {
    env,
    lock: () => again(false),
    unlock: () => again(true),
    async close() {
      await end(keyring);
      await end(bus);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Reads the password of its keyring from its input, here an empty one. Ready when it owns its name on the bus. */
async function startDaemon(file: string, env: Record<string, string>, isUnlocked: boolean): Promise<ChildProcess> {
  const argv = ['--foreground', '--components=secrets', ...(isUnlocked ? ['--unlock'] : [])];
  const child = spawn(file, argv, { env, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end('\n');
  await vi.waitUntil(() => hasService(env), { timeout: 30_000, interval: 50 });
  return child;
}

/** Asking for the owner of the name starts nothing, unlike a call to the service. */
async function hasService(env: Record<string, string>): Promise<boolean> {
  const [, , sendFile = ''] = programs;
  const baseArgs = [
    '--session',
    '--print-reply',
    '--dest=org.freedesktop.DBus',
    '/',
    'org.freedesktop.DBus.NameHasOwner',
  ];
  const { stdout } = await promisify(execFile)(sendFile, [...baseArgs, 'string:org.freedesktop.secrets'], { env });
  return stdout.includes('boolean true');
}

async function firstLine(stream: Readable): Promise<string> {
  const lines = createInterface({ input: stream });
  const [line] = (await once(lines, 'line')) as [string];
  return line;
}

/** The bus removes its socket when it ends, and every process it has started ends with it. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
