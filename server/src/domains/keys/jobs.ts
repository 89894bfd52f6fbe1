import { setImmediate as breathe } from 'node:timers/promises';
import type { KeyRing } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { faultFields, type Log } from '#server/kernel/log';
import { removeInterimFiles } from './encrypt-existing.ts';
import type { MasterKeyManager } from './master-keys.ts';
import { createReEncryption } from './re-encrypt.ts';
import { type KeyUse, retireKeys } from './retire.ts';
import type { KeyStep } from './steps.ts';
import type { JobRow, KeysStore, SealedColumn } from './store.ts';

type Deps = {
  db: Pick<Db, 'write' | 'emptyLog'>;
  clock: Clock;
  log: Log;
  store: KeysStore;
  vault: KeyRing;
  masterKeys: Pick<MasterKeyManager, 'verify'>;
  dataDir: string;
  /** Every sealed column of the ledger; a key is retired only when all of them use a newer one. */
  columns: readonly SealedColumn[];
  listUses: () => readonly KeyUse[];
  passed: (step: KeyStep) => void;
};

/**
 * Re-encrypts everything that is not sealed with the newest key, chunk by chunk: after a crash it resumes there, and both keys open until
 * it ends. Old keys are removed when nothing needs them any more.
 */
export function createKeyJobs(deps: Deps) {
  const { db, clock, log, store, vault, masterKeys, dataDir, passed } = deps;
  const reencrypt = createReEncryption(deps);
  let isStopped = false;
  let running: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (let job = store.findOpenJob(); job; job = store.findOpenJob()) {
      if (!reencrypt(job)) {
        passed('walked');
        if (!(await conclude(job))) return;
      } else passed('resealed');
      await breathe();
      if (isStopped) return;
    }
    if (retireKeys(deps) > 0) passed('retired');
  }

  /** False when it has to be tried again at the next start. */
  async function conclude(job: JobRow): Promise<boolean> {
    db.emptyLog();
    if (job.kind === 'retrofit' && job.unreadable === 0) {
      // Before the old key is removed, the new one is read from its source, and every data key is opened with it.
      if (!(await masterKeys.verify()) || isStopped) return false;
      vault.verify(store.listKeys());
      store.vacuum();
      db.emptyLog();
      passed('vacuumed');
      removeInterimFiles(dataDir);
      passed('forgotten');
    }
    db.write(() => store.updateJob(job.id, { finishedAt: clock.now() }));
    const { kind, resealed, unreadable } = job;
    log.info({ kind, resealed, unreadable }, 'all sealed values use the newest keys');
    passed('finished');
    return true;
  }

  return {
    /**
     * Runs the pending re-encryption; resolves at its end or when it was stopped. A failure is logged, and tried again at the next start.
     */
    run(): Promise<void> {
      running ??= work()
        .catch((error: unknown) => log.error(faultFields(error), 'the re-encryption was interrupted'))
        .finally(() => {
          running = undefined;
        });
      return running;
    },
    async stop(): Promise<void> {
      isStopped = true;
      await running;
    },
  };
}
