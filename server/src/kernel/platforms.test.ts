import { expect, test } from 'vitest';
import { type Concern, systems } from './platform-concern.ts';
import { concerns } from './platform-table.ts';
import { findMissing, findRunRefusal, isImplemented } from './platforms.ts';

const all = Object.values<Concern>(concerns);

test('Linux has an implementation of everything that a Run requires', () => {
  expect(findRunRefusal('linux')).toBeUndefined();
  expect(all.filter(({ stopsRuns, linux }) => stopsRuns && linux.state !== 'tried')).toEqual([]);
});

test('a Run is refused on a system that lacks a required concern, which the message names', () => {
  for (const system of systems)
    for (const title of findMissing(system) ?? []) expect(findRunRefusal(system)).toContain(title);
  expect(findMissing('win32')).toContain('FIFOs');
  expect(findMissing('freebsd')).toBeUndefined();
});

test('nothing of another system than Linux is called tried, unless there is nothing to try', () => {
  const claimed = all.flatMap((concern) =>
    systems.filter((system) => system !== 'linux' && concern[system].state === 'tried').map(() => concern.title),
  );
  expect(claimed).toEqual(['names that the system reserves']);
});

test('an implementation that was never run counts as one, and a weaker state does not', () => {
  expect([
    isImplemented('sandbox', 'linux'),
    isImplemented('fifos', 'darwin'),
    isImplemented('sandbox', 'darwin'),
    isImplemented('fifos', 'win32'),
    isImplemented('fifos', 'freebsd'),
  ]).toEqual([true, true, false, false, false]);
});
