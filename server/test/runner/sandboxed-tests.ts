import { test } from 'vitest';
import { isDeep } from '../../../e2e/fixtures/depth.ts';

/** Returns `test` for a rule that the sandbox does not affect: without a sandbox, only a deep run repeats it. */
export const testOfAnySandbox = (sandbox: 'bwrap' | 'none'): ReturnType<typeof test.runIf> =>
  test.runIf(isDeep || sandbox === 'bwrap');
