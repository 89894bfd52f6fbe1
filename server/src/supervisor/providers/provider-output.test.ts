import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Exit, Pipe } from '../../os/spawn.ts';
import { readOutput } from './provider-output.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function createOutputs() {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { promise: exited, resolve: exit } = Promise.withResolvers<Exit>();
  const outputs = { stdout: stdout as unknown as Pipe, stderr: stderr as unknown as Pipe, exited };
  const read = readOutput({ ...outputs } as Parameters<typeof readOutput>[0]);
  return { stdout, stderr, exit: () => exit({ code: 1, signal: null }), ...read };
}

test('returns the first line, in whatever pieces it is printed', async () => {
  const { stdout, firstLine } = createOutputs();
  for (const piece of ['1|6|un', 'ix|/s|gr', 'pc|\nmore', '\n']) stdout.write(piece);
  expect(await firstLine).toBe('1|6|unix|/s|grpc|');
  expect(vi.getTimerCount()).toBe(0);
});

test('rejects when no line was printed within a minute', async () => {
  const { stdout, firstLine } = createOutputs();
  const rejected = expect(firstLine).rejects.toThrow('it printed no address within 60 seconds');
  stdout.write('no line');
  await vi.advanceTimersByTimeAsync(60_000);
  await rejected;
});

test('rejects when the provider ends without a line', async () => {
  const { exit, firstLine } = createOutputs();
  const rejected = expect(firstLine).rejects.toThrow('it ended at once');
  exit();
  await rejected;
  expect(vi.getTimerCount()).toBe(0);
});

test('reads floods of both outputs to their ends, and keeps the last part of the errors', async () => {
  const { stdout, stderr, firstLine, tail } = createOutputs();
  const rejected = expect(firstLine).rejects.toThrow('no address');
  const flood = 'x'.repeat(16_384);
  for (let round = 0; round < 200; round += 1) {
    stdout.write(flood);
    stderr.write(flood);
    await vi.advanceTimersByTimeAsync(1);
  }
  stderr.write('\nthe end\n');
  stdout.write('\n1|6|unix|/s|grpc|\n');
  await vi.advanceTimersByTimeAsync(60_000);
  await rejected;
  expect([stdout.readableLength, stderr.readableLength]).toEqual([0, 0]);
  expect(tail()).toMatch(/^x+\nthe end$/);
  expect(tail().length).toBeLessThanOrEqual(4_096);
});
