import { defineConfig } from 'vitest/config';

/** Two kinds of test: `unit` needs nothing but Node; `live` runs the real tool, real Git and the real server process. */
export default defineConfig({
  test: {
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
          ],
          exclude: ['**/*.live.test.ts', '**/node_modules/**'],
          testTimeout: 20_000,
        },
      },
      {
        test: {
          name: 'live',
          include: ['server/**/*.live.test.ts', 'e2e/**/*.live.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          globalSetup: ['e2e/fixtures/built-product.ts'],
        },
      },
    ],
  },
});
