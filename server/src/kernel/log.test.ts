import { describe, expect, it } from 'vitest';
import { createConsoleLog } from './log.ts';

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
