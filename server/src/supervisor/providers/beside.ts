import type { ProviderEndpoint } from '#server/drivers/tofu/index';
import type { ProvidersBeside, SupervisedRun } from '../run.ts';
import type { InstalledProvider } from '../schema/installed-providers.ts';
import { createPool, type ProviderPool } from './provider-pool.ts';
import { startProvider } from './provider-process.ts';

type ProviderBeside = {
  endpoint: ProviderEndpoint;
  /** Its installed package; undefined while that is not known. */
  package(): InstalledProvider | undefined;
};

/** Gives processes to providers that are already there for the tool. */
export function createProvidersBeside(run: SupervisedRun, providers: readonly ProviderBeside[]): ProvidersBeside {
  const pools: ProviderPool[] = [];
  return {
    start(bounds) {
      for (const { endpoint, package: packageOf } of providers) {
        const provider = packageOf();
        if (provider === undefined) throw new Error('A provider must be installed before it is started.');
        const pool = createPool(() => startProvider(run, { provider, protocol: endpoint.protocol }, bounds));
        pools.push(pool);
        endpoint.processes = pool;
      }
    },
    async stop() {
      for (const { endpoint } of providers) delete endpoint.processes;
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}
