import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './e2e/fixtures/longest-first.ts';

/** One file more than processors: while one waits for a disk, a timer or a tool, another works. */
const workers = availableParallelism() + 1;
/** Time for which an assertion is repeated on a busy machine; an assertion that is true at once is not slower. */
const expectOptions = { poll: { timeout: 15_000 } };

const prepareRun = 'server/test/prepare-run.ts';
const inMemory = 'server/test/in-memory.ts';
const ordinaryUmask = 'server/test/ordinary-umask.ts';
const builtProduct = 'e2e/fixtures/built-product.ts';
const filesNamed = (ending: string): string => `{shared,server,renderer,electron,bench,e2e,.ci}/**/*${ending}`;

type ProjectOptions = { ending: string; timeout: number; setup: string; isolate?: boolean; before?: string };

/** The ending of a file's name is its project; a file without one of these is a unit test. */
const project = (name: string, { ending, timeout, setup, isolate = true, before }: ProjectOptions) => ({
  test: {
    name,
    isolate,
    include: [filesNamed(ending)],
    testTimeout: timeout,
    hookTimeout: timeout,
    expect: expectOptions,
    globalSetup: [setup],
    setupFiles: before === undefined ? [ordinaryUmask] : [ordinaryUmask, before],
  },
});
/** Files of both share the modules of their worker: to load them again for each file would take most of the time. */
const unit = project('unit', {
  ending: '.test.ts',
  timeout: 60_000,
  setup: prepareRun,
  isolate: false,
  before: 'server/test/only-node.ts',
});
const integration = project('integration', {
  ending: '.integration.test.ts',
  timeout: 60_000,
  setup: prepareRun,
  isolate: false,
  before: inMemory,
});
const others = [
  integration,
  // The files of a worker share its modules and its browser.
  project('live', { ending: '.live.test.ts', timeout: 240_000, setup: builtProduct, isolate: false }),
  project('faults', { ending: '.fault.test.ts', timeout: 240_000, setup: builtProduct }),
  project('fuzz', { ending: '.fuzz.test.ts', timeout: 240_000, setup: prepareRun, before: inMemory }),
];

/** Unit tests that replace modules, which other files must not get from the same worker. */
const replacing = globSync(filesNamed('.test.ts'), { cwd: import.meta.dirname }).filter((file) =>
  readFileSync(`${import.meta.dirname}/${file}`, 'utf8').includes('vi.mock('),
);
const exclude = ['**/node_modules/**', ...others.flatMap(({ test }) => test.include)];

/** Five kinds of tests; CONTRIBUTING.md says what each one is for. */
export default defineConfig({
  test: {
    maxWorkers: workers,
    // Outside node_modules, which a clean installation removes.
    fsModuleCachePath: '.cache/vitest',
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...unit.test, exclude: [...exclude, ...replacing] } },
      { test: { ...unit.test, name: 'unit-replacing', isolate: true, include: replacing, exclude } },
      ...others,
    ],
  },
});
