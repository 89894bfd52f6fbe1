import { lstatSync, readdirSync } from 'node:fs';
import { get } from 'node:http';
import path from 'node:path';
import { leastFreeBytes } from '#server/kernel/disk';
import { isImplemented, nameOfSystem } from '#server/kernel/platforms';
import { isLoopbackHost } from '#server/kernel/settings';
import type { Examination } from './examination.ts';
import { type Check, type Finding, note, problem } from './finding.ts';

const gib = 1_073_741_824;
const answerMs = 3_000;

/** Checks that no other account of the machine can read the data folder. */
export const folderCheck: Check = {
  name: 'folder',
  needs: [],
  examine({ folders: { dataDir }, machine: { platform } }) {
    if (!isImplemented('fileModes', platform)) return [unchecked(dataDir, platform)];
    const names = ['.', ...readdirSync(dataDir), ...listKeys(dataDir)];
    return [...ownerFindings(dataDir), ...names.flatMap((name) => modeFinding(dataDir, name))];
  },
};

function unchecked(dataDir: string, platform: NodeJS.Platform): Finding {
  const message = `Who can read the data folder is not checked on ${nameOfSystem(platform)}.`;
  return note({ subject: dataDir, message, remedy: 'Keep it in a folder that only this account can read.' });
}

function listKeys(dataDir: string): string[] {
  try {
    return readdirSync(path.join(dataDir, 'keys')).map((name) => path.join('keys', name));
  } catch {
    return [];
  }
}

function ownerFindings(dataDir: string): Finding[] {
  const uid = process.geteuid?.();
  const owner = lstatSync(dataDir).uid;
  if (uid === undefined || uid === 0 || uid === owner) return [];
  const message = `The data folder belongs to another account (uid ${owner}).`;
  return [problem({ subject: dataDir, message, remedy: 'Run the server and this command as that account.' })];
}

function modeFinding(dataDir: string, name: string): Finding[] {
  const target = path.join(dataDir, name);
  const stat = lstatSync(target, { throwIfNoEntry: false });
  const mode = stat?.isSymbolicLink() ? 0 : (stat?.mode ?? 0) & 0o777;
  if ((mode & 0o077) === 0) return [];
  const message = `Other accounts of this machine can access this: its mode is ${mode.toString(8).padStart(4, '0')}.`;
  return [problem({ subject: target, message, remedy: `Remove access for others: chmod go= ${target}` })];
}

/** Checks that the server that holds the folder answers, and reports files of a killed server. */
export const serverCheck: Check = {
  name: 'server',
  needs: [],
  async examine({ isServerRunning, runtime, folders }) {
    const subject = path.join(folders.dataDir, 'runtime.json');
    if (!isServerRunning && runtime) {
      const message = 'A server that was killed left this file; no server holds the folder now.';
      return [note({ subject, message, remedy: 'No action needed: the next start replaces it.' })];
    }
    if (!isServerRunning || !runtime) return [];
    if (!isLoopbackHost(new URL(runtime.url).hostname) || (await isAnswering(runtime.url))) return [];
    const message = `A server holds the folder (pid ${runtime.pid}) and does not answer at ${runtime.url}.`;
    return [problem({ message, remedy: 'Read its log. If it hangs, restart it: applies continue.' })];
  },
};

const isAnswering = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const request = get(new URL('/healthz', url), { agent: false, timeout: answerMs }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });

/** Checks the free disk space. */
export const diskCheck: Check = {
  name: 'disk',
  needs: [],
  examine({ machine, folders: { dataDir } }) {
    const free = machine.freeBytes();
    const message = `${Math.floor(free / 1_048_576)} MiB are free on the disk of the data folder.`;
    const remedy = 'Free some space: no apply starts while less than 64 MiB are free.';
    if (free < leastFreeBytes) return [problem({ subject: dataDir, message, remedy })];
    return free < gib ? [note({ subject: dataDir, message, remedy })] : [];
  },
};

const skewMs = 300_000;
/** No timestamp of Ground Control is older than this. */
const firstDay = Date.parse('2025-01-01T00:00:00Z');

/** Checks that the clock of the machine is plausible. */
export const clockCheck: Check = {
  name: 'clock',
  needs: ['tables'],
  examine({ clock, store }: Examination) {
    const now = clock.now();
    const newest = store.newestTime();
    if (now >= firstDay && newest <= now + skewMs) return [];
    const seen = new Date(newest).toISOString();
    const message = `The clock shows ${new Date(now).toISOString()}, and the ledger has a later timestamp: ${seen}.`;
    return [problem({ message, remedy: 'Set the clock: plans, sessions and links expire by it.' })];
  },
};
