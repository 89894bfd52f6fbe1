import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createConsoleLog, createLog } from './log.ts';

describe('the log in a file', () => {
  it('has a line as soon as it is written, also from a process that ends at once', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'groundctl-log-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = path.join(folder, 'server.log');
    createLog('info', file).error({ port: 1 }, 'The desktop ends.');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ level: 50, port: 1, msg: 'The desktop ends.' });
  });
});

describe('the log of a terminal', () => {
  it('prints one readable line per message, with the fields that identify the record and without JSON', () => {
    const lines: string[] = [];
    const log = createConsoleLog((line) => lines.push(line));
    log.info({ port: 1 }, 'The server listens.');
    log.warn({ runId: 'plan_1', attempt: 2 }, 'The Run is tried again.');
    log.error({ err: { name: 'Error', message: 'disk full', stack: 'at x' } }, 'A request failed.');
    expect(lines).toEqual([
      'warning: The Run is tried again. (runId: plan_1, attempt: 2)\n',
      'error: A request failed. disk full\nat x\n',
    ]);
  });

  it('stays one line, whatever a field holds', () => {
    const lines: string[] = [];
    createConsoleLog((line) => lines.push(line)).warn({ path: 'a\nb\u0007' }, 'A file is damaged.');
    expect(lines).toEqual(['warning: A file is damaged. (path: a\\u{a}b\\u{7})\n']);
  });
});
