import { expect, test } from 'vitest';
import { bootIdFromSysctl, processesFromPs, type ReadOutput, startTimeFromPs } from './ps.ts';

/** Output as ps(1) of macOS prints it, with a terminal, without one, and of another user. */
const listed = `
    1     0     1     0 ??       Ss   Thu Nov 26 09:01:02 2026
  612     1   612   501 ??       S    Thu Nov 26 09:05:10 2026
  613   612   612   501 ??       S+   Thu Nov 26 09:05:10 2026
  700   650   700   501 ttys001  Ss   Fri Nov  6 19:40:00 2026
  701   700   701   501 ttys001  Z    Fri Nov  6 19:40:01 2026
${process.pid}   650 ${process.pid}   501 ttys001  R    Fri Nov  6 19:41:00 2026
`;

test('processes of the user are read from ps, without zombies', () => {
  const calls: string[][] = [];
  const read: ReadOutput = (file, argv) => {
    calls.push([file, ...argv]);
    return listed;
  };
  const [leader, child, terminal, own, ...rest] = processesFromPs(501, read);
  expect(leader).toEqual({
    pid: 612,
    parent: 1,
    session: 612,
    hasTerminal: false,
    startTime: 'Thu Nov 26 09:05:10 2026',
  });
  expect(child).toMatchObject({ pid: 613, parent: 612, session: 612 });
  expect(terminal).toMatchObject({ pid: 700, hasTerminal: true, startTime: 'Fri Nov 6 19:40:00 2026' });
  expect([own?.pid, rest]).toEqual([process.pid, []]);
  // Two columns of one option would be one column with a header.
  expect(calls.flat().filter((argument) => argument.includes('='))).toEqual(
    ['pid', 'ppid', 'pgid', 'uid', 'tty', 'stat', 'lstart'].map((name) => `${name}=`),
  );
});

const two =
  (line: string): ReadOutput =>
  () =>
    `${line}\n ${process.pid} R    Fri Nov  6 19:41:00 2026\n`;

test('the start time of a process is undefined when it has ended, and unknown when ps fails', () => {
  expect(startTimeFromPs(612, two(' 612 Ss   Thu Nov 26 09:05:10 2026'))).toBe('Thu Nov 26 09:05:10 2026');
  expect(startTimeFromPs(612, two(' 612 Z    Thu Nov 26 09:05:10 2026'))).toBeUndefined();
  expect(startTimeFromPs(612, two(''))).toBeUndefined();
  expect(() => startTimeFromPs(612, () => '')).toThrow(expect.objectContaining({ code: 'program_failed' }));
  expect(() => processesFromPs(501, () => '')).toThrow(expect.objectContaining({ code: 'program_failed' }));
});

test('the id of a boot does not depend on the clock', () => {
  const read: ReadOutput = (_file, argv) =>
    argv.includes('kern.bootsessionuuid') ? '5E6FFEBE-0B0C-4B2A-9D5E-2C1F0E5A7B11\n' : '';
  expect(bootIdFromSysctl(read)).toBe('5E6FFEBE-0B0C-4B2A-9D5E-2C1F0E5A7B11');
});
