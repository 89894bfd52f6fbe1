import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './e2e/fixtures/longest-first.ts';

/** One file more than processors: while one waits for a disk, a timer or a tool, another works. */
const workers = availableParallelism() + 1;
/** Time for which an assertion is repeated on a busy machine; an assertion that is true at once is not slower. */
const expectOptions = { poll: { timeout: 15_000 } };

/** Two kinds of tests: `unit` needs only Node; `live` runs the real tool, real Git and the real server process. */
export default defineConfig({
  test: {
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'shared/**/*.test.ts',
            'server/**/*.test.ts',
            'electron/**/*.test.ts',
            'bench/**/*.test.ts',
            'renderer/**/*.test.ts',
            '.ci/**/*.test.ts',
          ],
          exclude: ['**/*.live.test.ts', '**/node_modules/**'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: expectOptions,
          globalSetup: ['server/test/bundled-children.ts'],
        },
      },
      {
        test: {
          name: 'live',
          include: ['server/**/*.live.test.ts', 'e2e/**/*.live.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: expectOptions,
          globalSetup: ['e2e/fixtures/built-product.ts'],
        },
      },
    ],
  },
});
