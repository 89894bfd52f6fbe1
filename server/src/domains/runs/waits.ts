import type { RunListeners } from './listeners.ts';
import type { RunRecord } from './run-record.ts';

type Deps = { listeners: Pick<RunListeners, 'onFeed'>; getRecord: (id: string) => RunRecord };

/** Requests that wait until a Run has settled. */
export function createRunWaits({ listeners, getRecord }: Deps) {
  const waits = new Set<() => void>();

  return {
    /** Resolves when the Run has left `queued` and `running`, or after `ms` at the latest, with the Run as it is then. */
    async waitUntilSettled(id: string, ms: number): Promise<RunRecord> {
      const settled = (row: RunRecord) => row.status !== 'queued' && row.status !== 'running';
      if (!settled(getRecord(id))) {
        await new Promise<void>((resolve) => {
          const done = () => {
            clearTimeout(timer);
            stop();
            waits.delete(done);
            resolve();
          };
          const timer = setTimeout(done, ms);
          const stop = listeners.onFeed(id, () => {
            if (settled(getRecord(id))) done();
          });
          waits.add(done);
        });
      }
      return getRecord(id);
    },

    /** Resolves all waits with the current Run, because the server stops. */
    endWaits(): void {
      for (const done of waits) done();
    },
  };
}
