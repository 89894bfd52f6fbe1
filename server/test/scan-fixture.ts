import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeArchive } from '#server/drivers/archive/index';
import { createParser } from '../src/drivers/scan/parse-file.ts';
import { scanArchive } from '../src/drivers/scan/scan-archive.ts';
import type { ModuleReport, ScanRequest, ScanResult } from '../src/drivers/scan/types.ts';

/** File contents by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

const parse = createParser();

/** Writes the files to an archive while `use` runs, and passes it a request to scan them with tofu. */
export async function withArchive<T>(files: Files, use: (request: ScanRequest) => Promise<T>): Promise<T> {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'scan-'));
  try {
    const entries = Object.entries(files).map(([name, content]) => ({
      path: name,
      executable: false,
      bytes: typeof content === 'string' ? Buffer.from(content) : content,
    }));
    const archive = writeArchive({ dir, entries });
    return await use({
      archivePath: archive.path,
      sourceSnapshotId: 'snap_1',
      scopePath: '.',
      toolName: 'tofu',
      toolVersion: '1.12.6',
      leftOut: [],
    });
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** Scans files in this thread. */
export const scanFiles = (files: Files, options: Partial<ScanRequest> = {}): Promise<ScanResult> =>
  withArchive(files, (request) => scanArchive({ ...request, ...options }, parse));

/** Returns the paths of the modules that a scan offers. */
export async function modulePaths(files: Files, options: Partial<ScanRequest> = {}): Promise<string[]> {
  const { discovery } = await scanFiles(files, options);
  if (discovery.status === 'invalid') throw new Error(`The scan is invalid: ${JSON.stringify(discovery.findings)}`);
  return discovery.modules.map((module) => module.path);
}

/** Returns the discovery of files that must not scan. */
export async function refusalOf(files: Files, options: Partial<ScanRequest> = {}) {
  const { discovery } = await scanFiles(files, options);
  if (discovery.status === 'ready') throw new Error(`The scan is ready: ${JSON.stringify(discovery.modules)}`);
  return discovery;
}

/** Returns the report on one module, the root unless another path is given. */
export async function reportOf(
  files: Files,
  options: Partial<ScanRequest> & { at?: string } = {},
): Promise<ModuleReport> {
  const { at = '.', ...request } = options;
  const { reports, discovery } = await scanFiles(files, request);
  const report = reports.find(({ modulePath }) => modulePath === at);
  if (!report) throw new Error(`There is no report on ${at}: ${JSON.stringify(discovery)}`);
  return report;
}
