// Starts an installed desktop, waits until its server answers, and ends it: `node .ci/release/start-desktop.ts PROGRAM`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const [program = '', ...options] = process.argv.slice(2);
const folder = mkdtempSync(path.join(os.tmpdir(), 'groundctl-installed-'));
const runtimeFile = path.join(folder, 'data/runtime.json');
const env = { ...process.env, GROUNDCTL_DATA_DIR: path.dirname(runtimeFile), GROUNDCTL_KEY_SOURCE: 'file' };
const desktop = spawn(program, [`--user-data-dir=${path.join(folder, 'user')}`, ...options], { env, stdio: 'inherit' });
const exited = once(desktop, 'exit');
let hasEnded = false;
void exited.then(
  () => (hasEnded = true),
  () => (hasEnded = true),
);
const deadline = Date.now() + 120_000;

/** True when the server of the desktop says that it is healthy. */
async function isHealthy(): Promise<boolean> {
  if (!existsSync(runtimeFile)) return false;
  const { url } = JSON.parse(readFileSync(runtimeFile, 'utf8')) as { url: string };
  const response = await fetch(new URL('/healthz', url)).catch(() => undefined);
  return response?.status === 200;
}

let healthy = false;
while (!healthy && !hasEnded && Date.now() < deadline) {
  healthy = await isHealthy();
  if (!healthy) await sleep(250);
}
desktop.kill();
await exited.catch(() => undefined);
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
process.stdout.write(
  healthy ? 'The installed desktop started and answered.\n' : 'The installed desktop did not answer.\n',
);
process.exitCode = healthy ? 0 : 1;
