import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeDurably } from './disk.ts';

/** Running server of this data folder, for tools on the same machine. */
export type RuntimeFile = {
  pid: number;
  /** Address for people. */
  url: string;
  /** Address of the operator's routes from this machine, when it is another one. */
  operatorUrl?: string;
  startedAt: string;
  version: string;
  /** Program of the desktop that the server runs in; started again, it shows that desktop. */
  desktop?: { program: string; args: readonly string[] };
};

const runtimeName = 'runtime.json';

/** Writes a file that the next start replaces: a reader never sees half of it, and a power cut may lose it. */
export function writePassing(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export const writeRuntimeFile = (dataDir: string, content: RuntimeFile): void =>
  writePassing(path.join(dataDir, runtimeName), `${JSON.stringify(content)}\n`);

export const removeRuntimeFile = (dataDir: string): void => rmSync(path.join(dataDir, runtimeName), { force: true });

/** Reads the runtime file that the server of a data folder wrote at its start; undefined when there is no readable one. */
export function readRuntimeFile(dataDir: string): RuntimeFile | undefined {
  try {
    return JSON.parse(readFileSync(path.join(dataDir, runtimeName), 'utf8')) as RuntimeFile;
  } catch {
    return undefined;
  }
}

/** Returns the address of the operator's routes of a running server. */
export const operatorUrlOf = ({ url, operatorUrl }: RuntimeFile): string => operatorUrl ?? url;

export const rememberPort = (dataDir: string, port: number): void =>
  writePassing(path.join(dataDir, 'last-port'), String(port));

const tokenShape = /^[\x21-\x7e]{32,}$/;

/**
 * Returns the token of a private file. It is created at the first start, and replaced when it is invalid, because an
 * empty file must not authenticate anyone.
 */
export function readOrMakeToken(file: string, make: () => string): string {
  const existing = readText(file).trim();
  if (tokenShape.test(existing)) return existing;
  const token = make();
  writeDurably(file, `${token}\n`);
  return token;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
