import { readFileSync } from 'node:fs';
import path from 'node:path';
import { operatorUrlOf, readRuntimeFile } from '../kernel/runtime-files.ts';
import type { Settings } from '../kernel/settings.ts';

export const noServerMessage = 'No server runs on this data folder. Start one with: groundctl serve --data-dir DIR';

/** The running server of a data folder, with the credential of its operator. */
type OperatorServer = {
  /** Origin of the public API. */
  url: string;
  /** Origin of the operator routes. */
  operatorUrl: string;
  token: string;
};

/** Returns the server that runs on a data folder; undefined when none does. Throws when its token cannot be read. */
export function findOperatorServer({
  dataDir,
  operatorToken,
}: Pick<Settings, 'dataDir' | 'operatorToken'>): OperatorServer | undefined {
  const runtime = readRuntimeFile(dataDir);
  if (!runtime) return undefined;
  const token = operatorToken ?? readFileSync(path.join(dataDir, 'operator-token'), 'utf8').trim();
  return { url: runtime.url, operatorUrl: operatorUrlOf(runtime), token };
}
