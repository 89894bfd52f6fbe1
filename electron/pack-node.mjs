import { chmodSync, copyFileSync, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const out = path.resolve(import.meta.dirname, '../dist/node');
/** electron-builder numbers processors. */
const processors = { 0: 'ia32', 1: 'x64', 2: 'armv7l', 3: 'arm64', 4: 'universal' };

/** Copies the Node that a package includes for its supervisors: the Node that runs the packaging, installed by npm. */
export function beforePack({ electronPlatformName, arch }) {
  const { platform, arch: own, execPath } = process;
  if (electronPlatformName !== platform || processors[arch] !== own)
    throw new Error(
      `A package for ${electronPlatformName} ${processors[arch]} is made there: it brings the Node that makes it, and this one is for ${platform} ${own}.`,
    );
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const file = path.join(out, path.basename(execPath));
  copyFileSync(execPath, file);
  chmodSync(file, 0o755);
}
