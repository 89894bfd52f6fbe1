import type { ProviderLease, ProviderProcesses } from '#server/drivers/tofu/index';
import type { ProviderProcess } from './provider-process.ts';

export type ProviderPool = ProviderProcesses & {
  /** Ends all processes; none starts afterwards. */
  end(): Promise<void>;
};

/** A process without a configuration. `uses` counts its leases, also those that wait for its start. */
type SharedProcess = { process: ProviderProcess; uses: number };

/** Keeps the processes of one provider. The first one starts at once, because every command with the provider needs it. */
export function createPool(start: () => ProviderProcess): ProviderPool {
  const all = new Set<ProviderProcess>();
  let isEnded = false;
  const startNew = (): ProviderProcess => {
    if (isEnded) throw new Error('The command of these providers has ended.');
    const started = start();
    all.add(started);
    return started;
  };
  let shared: SharedProcess | undefined = { process: startNew(), uses: 0 };
  return {
    async share() {
      shared ??= { process: startNew(), uses: 0 };
      const used = shared;
      used.uses += 1;
      return lease(used.process, () => {
        used.uses -= 1;
      });
    },
    async claim() {
      const free = shared?.uses === 0 ? shared.process : undefined;
      if (free !== undefined) shared = undefined;
      const claimed = free ?? startNew();
      return lease(claimed, () => void claimed.end());
    },
    async end() {
      isEnded = true;
      await Promise.all([...all].map((one) => one.end()));
    },
  };
}

const lease = async ({ session }: ProviderProcess, release: () => void): Promise<ProviderLease> => ({
  session: await session,
  release,
});
