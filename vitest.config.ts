import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './e2e/fixtures/longest-first.ts';

/** One file more than processors: while one waits for a disk, a timer or a tool, another works. */
const workers = availableParallelism() + 1;
/** Time for which an assertion is repeated on a busy machine; an assertion that is true at once is not slower. */
const expectOptions = { poll: { timeout: 15_000 } };

const bundledChildren = 'server/test/bundled-children.ts';
const builtProduct = 'e2e/fixtures/built-product.ts';
const filesNamed = (ending: string): string => `{shared,server,renderer,electron,bench,e2e,.ci}/**/*${ending}`;

type ProjectOptions = { ending: string; timeout: number; setup: string; isolate?: boolean };

/** The ending of a file's name is its project; a file without one of these is a unit test. */
const project = (name: string, { ending, timeout, setup, isolate = true }: ProjectOptions) => ({
  test: {
    name,
    isolate,
    include: [filesNamed(ending)],
    testTimeout: timeout,
    hookTimeout: timeout,
    expect: expectOptions,
    globalSetup: [setup],
  },
});
const unit = project('unit', { ending: '.test.ts', timeout: 60_000, setup: bundledChildren });
/** Its files share the modules of their worker: to load the whole server for each file would take half of the time. */
const integration = project('integration', {
  ending: '.integration.test.ts',
  timeout: 60_000,
  setup: bundledChildren,
  isolate: false,
});
const others = [
  integration,
  project('live', { ending: '.live.test.ts', timeout: 240_000, setup: builtProduct }),
  project('faults', { ending: '.fault.test.ts', timeout: 240_000, setup: builtProduct }),
  project('fuzz', { ending: '.fuzz.test.ts', timeout: 240_000, setup: bundledChildren }),
];

/** Five kinds of tests; CONTRIBUTING.md says what each one is for. */
export default defineConfig({
  test: {
    maxWorkers: workers,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...unit.test,
          exclude: ['**/node_modules/**', ...others.flatMap(({ test }) => test.include)],
          setupFiles: ['server/test/only-node.ts'],
        },
      },
      ...others,
    ],
  },
});
