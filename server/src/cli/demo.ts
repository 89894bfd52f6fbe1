import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { writeSampleRepository } from '../compose/sample.ts';
import { locateTool } from '../compose/tool-host.ts';
import { startServer } from '../index.ts';
import { createConsoleLog } from '../kernel/log.ts';
import { readSettings } from '../kernel/settings.ts';
import { spawnPiped } from '../runner/index.ts';
import { installSample } from './demo-install.ts';
import type { Flags } from './flags.ts';
import { startGitHttpServer } from './git-http-server.ts';
import { untilStopped } from './serve.ts';
import { bringTool } from './tofu-install.ts';

/** Installs the bundled sample from a real Git repository over HTTP, with the public API only; then serves until stopped. */
export async function runDemo(flags: Flags): Promise<number> {
  const root = mkdtempSync(path.join(tmpdir(), 'groundctl-demo-'));
  const say = (line: string) => process.stdout.write(`${line}\n`);
  try {
    // The demo deletes what it creates, including its key.
    const keyEnv = { GROUNDCTL_KEY_SOURCE: 'file', GROUNDCTL_KEY_FILE: path.join(root, 'demo.key') };
    const settings = readSettings(
      { ...process.env, GROUNDCTL_ALLOW_LOOPBACK_GIT: '1', ...keyEnv },
      { dataDir: path.join(root, 'data'), ...flags, isPersonal: true },
    );
    await ensureTool(settings.dataDir, say);
    writeSampleRepository(path.join(root, 'git', 'hello.git'));
    const git = await startGitHttpServer({ root: path.join(root, 'git'), spawn: spawnPiped });
    const server = await startServer({ settings, log: createConsoleLog() });
    try {
      const succeeded = await installSample({ server, gitUrl: `${git.url}/hello.git`, say });
      say(`\nThe server:  ${server.url}\nSign in:     ${server.createSignInLink()}  (once, within five minutes)`);
      if (!flags.exit) {
        say('Press Ctrl-C to stop it.');
        await untilStopped();
      }
      return succeeded ? 0 : 1;
    } finally {
      await server.close();
      await git.close();
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Installs the pinned tool on a machine without OpenTofu and Terraform. */
async function ensureTool(dataDir: string, say: (line: string) => void): Promise<void> {
  const host = {
    dataDir,
    home: homedir(),
    env: process.env,
    settingPath: process.env['GROUNDCTL_TOOL_PATH'] || undefined,
  };
  if (await locateTool(host)) return;
  say('No OpenTofu and no Terraform on this machine: getting the pinned OpenTofu first.');
  await bringTool(host, (line) => say(`  ${line}`));
}
