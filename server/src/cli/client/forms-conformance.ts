import { readFileSync, writeFileSync } from 'node:fs';
import { certificatesOf } from '../../kernel/certificates.ts';
import {
  type ConformanceReport,
  FixtureError,
  parseFixture,
  runConformance,
  type StageReport,
} from '../conformance/index.ts';
import { exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { requireNewFile } from '../new-file.ts';
import type { OptionValues } from '../options.ts';
import { atTerminal } from './command.ts';
import { requireOrigin, requireToken } from './server-location.ts';
import type { Terminal } from './terminal.ts';
import { oneLine } from './text.ts';

/** Checks a form host, prints each stage as it ends, and fails unless all of them passed. */
export const runFormsConformance = atTerminal(
  { whenUnread: 'goesOn' },
  async ({ options, terminal, signal, leaves }) => {
    const { endpoint, form, report: file } = options;
    if (endpoint === undefined || form === undefined)
      throw wrongUse('groundctl forms conformance needs --endpoint URL and --form FILE.');
    const origin = requireOrigin(endpoint, '--endpoint');
    const token = requireBearer(process.env['GROUNDCTL_TOKEN']);
    const fixture = readFixture(form, options.space);
    const ca = readCertificates(options.ca);
    if (file !== undefined) requireNewFile(file);
    leaves.message = 'The check was interrupted. The Resource of the fixture may be left at the host.';
    const report = await runConformance({
      endpoint: origin,
      token,
      fixture,
      ca,
      signal,
      nativeId: options.import,
      onStage: (stage) => sayStage(terminal, stage),
    });
    if (file !== undefined) writeFileSync(file, `${JSON.stringify(report)}\n`, { flag: 'wx' });
    if (terminal.isJson) terminal.document(report);
    saySummary(terminal, report, options);
    return report.passed ? exitCodes.done : exitCodes.failed;
  },
);

function requireBearer(token: string | undefined): string {
  if (token) return requireToken(token);
  throw wrongUse('Put a token of the host into the environment variable GROUNDCTL_TOKEN.');
}

function readFixture(file: string, space: string | undefined) {
  try {
    return parseFixture(readNamedFile(file), { space });
  } catch (error) {
    if (error instanceof FixtureError) throw wrongUse(`${file} is not a valid fixture. ${error.message}`);
    throw error;
  }
}

function readNamedFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw failed('not_found', `${file} cannot be read. Name a file that exists.`);
  }
}

function readCertificates(file: string | undefined): string[] | undefined {
  if (file !== undefined) readNamedFile(file);
  return certificatesOf(file).ca;
}

function sayStage({ say, isJson, paint }: Terminal, { name, passed, requests, failures }: StageReport): void {
  if (isJson) return;
  const outcome = passed ? paint('green', 'passed') : paint('red', 'failed');
  say(`${outcome}  ${name.padEnd(20)}  ${requests.length} requests`);
  for (const failure of failures) say(`        ${oneLine(failure)}`);
}

function saySummary(
  { say, isJson }: Terminal,
  { stages, reportDigest }: ConformanceReport,
  options: OptionValues,
): void {
  if (isJson) return;
  const passed = stages.filter((stage) => stage.passed).length;
  say(`${passed} of ${stages.length} stages passed.`);
  if (options.import === undefined)
    say('The stage import-replay was not executed. Name a native object with --import to include it.');
  say(`report ${reportDigest}`);
}
