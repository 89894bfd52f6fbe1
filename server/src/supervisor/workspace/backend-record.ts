import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { readPlainFile } from '../../os/durable-file.ts';
import { type Layout, stateFileName } from '../../runner/contract/layout.ts';

/** The tool's own record of its backend, which init writes into the data folder. */
type BackendRecord = { backend?: { type?: unknown; config?: { path?: unknown } } };

const recordMaxBytes = 1_048_576;
const recordFile = ({ host }: Layout): string => path.join(host.data, stateFileName);
const statePath = ({ seen }: Layout): string => path.posix.join(seen.state, stateFileName);

/** Writes the record that init writes for the generated backend. */
export function writeBackendRecord(layout: Layout): void {
  const config = { path: statePath(layout), workspace_dir: null };
  const record = { version: 3, backend: { type: 'local', config, hash: hashOf(config.path) } };
  writeFileSync(recordFile(layout), JSON.stringify(record), { mode: 0o600, flag: 'wx' });
}

/**
 * Returns the tool's checksum of type and configuration, with `~` for null. It is not optional: OpenTofu corrects a
 * wrong one, and where it cannot, because the folder is read-only, it plans without the state and reports no error.
 */
const hashOf = (file: string): number => crc32(`<"local";<${JSON.stringify(file)};~;>;>`);

/** Reports whether the record names the generated backend: a later override file of the module could move the state. */
export function isBackendRecorded(layout: Layout): boolean {
  try {
    const text = readPlainFile(recordFile(layout), recordMaxBytes)?.toString('utf8') ?? '';
    const { backend } = JSON.parse(text) as BackendRecord;
    return backend?.type === 'local' && backend.config?.path === statePath(layout);
  } catch {
    return false;
  }
}
