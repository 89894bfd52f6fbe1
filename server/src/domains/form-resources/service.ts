import { faultFields, type Log } from '#server/kernel/log';
import type { Cursors } from '#server/kernel/page';
import type { WorkGate } from '#server/kernel/work-gate';
import { formHostLimits } from '#shared/limits';
import { type ChangePorts, createChanges } from './changes.ts';
import { createLocks } from './locks.ts';
import { createNativeObjects } from './native-objects.ts';
import type { OperationPorts } from './operations.ts';
import { createFormReads, type ReadPorts } from './reads.ts';
import { createFormRequests } from './requests.ts';
import type { Target } from './store.ts';

export type FormHost = ReturnType<typeof createFormHost>;

type Deps = Omit<ChangePorts, 'native'> &
  Pick<ReadPorts, 'activity'> & {
    dataDir: string;
    log: Log;
    cursors: Cursors;
    workGate: WorkGate;
    packages: OperationPorts['packages'];
    activity: ChangePorts['activity'] & ReadPorts['activity'];
  };

/** The Resources of the form host, and the requests on them. */
export function createFormHost(deps: Deps) {
  const native = createNativeObjects(deps.dataDir);
  const changes = createChanges({ ...deps, native });
  const locks = createLocks(formHostLimits.busyMs);
  async function settle(target: Target): Promise<void> {
    const release = await locks.take(target);
    try {
      // Without it, a request works on the Resource, which has settled it.
      if (release && deps.workGate.mayAct()) changes.settle(target);
    } finally {
      release?.();
    }
  }

  /** Settles the operations that the last process has not ended. One that fails is settled before the next of its Resource. */
  function settleAll(): void {
    if (!deps.workGate.mayAct()) return;
    for (const target of deps.store.listStarted())
      settle(target).catch((error: unknown) => {
        deps.log.error(faultFields(error), 'an interrupted operation of the form host could not be settled');
      });
  }

  return {
    native,
    reads: createFormReads(deps),
    requests: createFormRequests({ ...deps, native, changes, locks }),
    /** Settles interrupted operations now, and each time a fence or the pause of a restore allows work again. */
    start(): void {
      deps.workGate.onOpen(settleAll);
      settleAll();
    },
    findWorkspace: (id: string): string | undefined => deps.store.find(id)?.workspaceId,
  };
}
