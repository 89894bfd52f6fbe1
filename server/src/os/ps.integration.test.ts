import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ownProcesses } from './processes.ts';
import { processesFromPs, startTimeFromPs } from './ps.ts';

/** A pid above the limit of the kernel. */
const unusedPid = 2 ** 22 + 1;

describe.runIf(existsSync('/bin/ps'))('the ps of this machine', () => {
  test('lists the same process as /proc', () => {
    const fromPs = processesFromPs(process.geteuid?.()).find(({ pid }) => pid === process.pid);
    const fromProc = ownProcesses().find(({ pid }) => pid === process.pid);
    expect(fromPs).toMatchObject({ parent: fromProc?.parent, hasTerminal: fromProc?.hasTerminal });
  });

  test('prints a start time in UTC, and none for a process that does not exist', () => {
    const startTime = startTimeFromPs(process.pid) ?? '';
    expect(startTime).toMatch(/^\w{3} \w{3} \d+ \d\d:\d\d:\d\d \d{4}$/);
    const age = Date.now() - Date.parse(`${startTime} UTC`);
    expect(Math.abs(age - process.uptime() * 1_000)).toBeLessThan(60_000);
    expect(startTimeFromPs(unusedPid)).toBeUndefined();
  });
});
