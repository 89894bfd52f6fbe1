import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeDurably } from './disk.ts';

/** Who serves this data folder, for tools on the same machine. */
export type RuntimeFile = {
  pid: number;
  /** Where people reach it. */
  url: string;
  /** Where the operator's routes are reached from this machine, when that is another address. */
  operatorUrl?: string;
  startedAt: string;
  version: string;
};

const runtimeName = 'runtime.json';

/** For what the next start writes anew: a reader never sees half a file, and a power cut may lose it. */
export function writePassing(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export const writeRuntimeFile = (dataDir: string, content: RuntimeFile): void =>
  writePassing(path.join(dataDir, runtimeName), `${JSON.stringify(content)}\n`);

export const removeRuntimeFile = (dataDir: string): void => rmSync(path.join(dataDir, runtimeName), { force: true });

/** What the server of a data folder wrote at its start; undefined when there is none that can be read. */
export function readRuntimeFile(dataDir: string): RuntimeFile | undefined {
  try {
    return JSON.parse(readFileSync(path.join(dataDir, runtimeName), 'utf8')) as RuntimeFile;
  } catch {
    return undefined;
  }
}

/** Where the operator's routes of a running server are reached. */
export const operatorUrlOf = ({ url, operatorUrl }: RuntimeFile): string => operatorUrl ?? url;

export const rememberPort = (dataDir: string, port: number): void =>
  writePassing(path.join(dataDir, 'last-port'), String(port));

const tokenShape = /^[\x21-\x7e]{32,}$/;

/** The token in a private file, made at the first start, and made anew when what lies there is none: an empty file must not let anybody in. */
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
