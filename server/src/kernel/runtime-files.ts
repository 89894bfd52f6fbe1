import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Who serves this data folder, for tools on the same machine. */
export type RuntimeFile = { pid: number; url: string; startedAt: string; version: string };

const runtimeName = 'runtime.json';

/** Written whole or not at all: a reader never sees half a file. */
function writePrivate(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export const writeRuntimeFile = (dataDir: string, content: RuntimeFile): void =>
  writePrivate(path.join(dataDir, runtimeName), `${JSON.stringify(content)}\n`);

export const removeRuntimeFile = (dataDir: string): void => rmSync(path.join(dataDir, runtimeName), { force: true });

/** What the server of a data folder wrote at its start; undefined when there is none. */
export function readRuntimeFile(dataDir: string): RuntimeFile | undefined {
  const file = path.join(dataDir, runtimeName);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RuntimeFile) : undefined;
}

export const rememberPort = (dataDir: string, port: number): void =>
  writePrivate(path.join(dataDir, 'last-port'), String(port));

/** The token in a private file, made at the first start. */
export function readOrMakeToken(file: string, make: () => string): string {
  if (!existsSync(file)) writePrivate(file, `${make()}\n`);
  return readFileSync(file, 'utf8').trim();
}
