import { type PoolHarness, startPoolHarness } from '../e2e/fixtures/pool.ts';
import { hasNatsServer } from '../server/test/nats-server.ts';
import { createApi } from './api.ts';
import type { RunProduct } from './product-runs.ts';

export type PooledProduct = RunProduct & {
  harness: PoolHarness;
  /** Plans from now on run on the server's machine, or in a pool. */
  use(pool: { id: string }): Promise<void>;
};

/** The pool of the server's own machine. */
export const localPool = { id: 'local' };

type Setting = {
  entry: string;
  module: string;
};

/** Runs an action against the built product with NATS and an origin of a module; ends all, however the action ends. */
export async function withPools<T>(
  { entry, module }: Setting,
  action: (product: PooledProduct) => Promise<T>,
): Promise<T> {
  if (!hasNatsServer) throw new Error('nats-server is not built. Run .ci/prepare first.');
  // Machines are started from the same build.
  process.env.GROUNDCTL_TEST_ENTRY = entry;
  const harness = await startPoolHarness({ entry, isDirect: true });
  try {
    const { server, workspaceId } = harness;
    const origin = harness.repository('bench', { 'main.tf': module });
    return await action({
      harness,
      server,
      workspaceId,
      origin,
      api: createApi(server),
      use: (pool) => harness.setDefaultPool(pool),
    });
  } finally {
    await harness.stop();
  }
}
