import { BackupError, type EncryptFor } from '#server/drivers/backup-archive/index';
import type { KeyRing } from '#server/drivers/vault/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { findFact, writeFact } from '#server/kernel/installation';
import type { ActivityAction } from '#shared/activity/actions';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { keysApi } from '#shared/keys/api';
import type { RecoveryKitStatus } from '#shared/keys/contract';
import { writeRecoveryKit } from './recovery-kit.ts';
import type { KeysStore } from './store.ts';

/** The newest kit, and whether the owner declined one. */
type KitFact = { createdAt?: string; keyId?: string; dismissedAt?: string };

type Deps = {
  installationId: string;
  db: Pick<Db, 'orm' | 'write'>;
  clock: Clock;
  store: Pick<KeysStore, 'findMaster'>;
  vault: Pick<KeyRing, 'masterKey'>;
  recordActivity: (actorId: string, action: ActivityAction, metadata?: Record<string, unknown>) => void;
};

/** Recovery kits: files from which a person puts the master key back. The server keeps only when the newest was made. */
export function createRecoveryKits({ installationId, db, clock, store, vault, recordActivity }: Deps) {
  const find = (): KitFact => findFact<KitFact>(db, 'recovery_kit') ?? {};

  function status(): RecoveryKitStatus {
    const { createdAt, keyId, dismissedAt } = find();
    if (createdAt === undefined || keyId === undefined)
      return { state: dismissedAt === undefined ? 'none' : 'dismissed' };
    return { state: keyId === store.findMaster('active')?.id ? 'made' : 'outdated', createdAt, keyId };
  }

  return {
    recoveryKit: status,

    /** Creates a kit. Neither the kit nor its passphrase is stored. 400 `invalid_request` for a malformed recipient. */
    async createRecoveryKit(body: BodyOf<typeof keysApi.createRecoveryKit>, actorId: string) {
      const key = vault.masterKey();
      const createdAt = isoTime(clock.now());
      const text = await writeRecoveryKit({ installationId, key, createdAt }, targetOf(body)).catch(refuseRecipient);
      db.write(() => {
        writeFact(db, 'recovery_kit', { createdAt, keyId: key.id } satisfies KitFact);
        const encryptedFor = body.recipient === undefined ? 'passphrase' : 'recipient';
        recordActivity(actorId, 'vault.recovery_kit_created', { keyId: key.id, encryptedFor });
      });
      const fileName = `ground-control-recovery-kit-${installationId.slice(0, 8)}-${createdAt.slice(0, 10)}.txt`;
      return { recoveryKit: status(), fileName, text };
    },

    /** Ends the offer of a kit. A repeated call changes nothing. */
    dismissRecoveryKit(actorId: string): RecoveryKitStatus {
      db.write(() => {
        if (find().dismissedAt !== undefined) return;
        writeFact(db, 'recovery_kit', { ...find(), dismissedAt: isoTime(clock.now()) } satisfies KitFact);
        recordActivity(actorId, 'vault.recovery_kit_dismissed');
      });
      return status();
    },
  };
}

function targetOf({ passphrase, recipient, ...rest }: BodyOf<typeof keysApi.createRecoveryKit>): EncryptFor {
  nothingLeft(rest);
  return recipient === undefined ? { passphrase: passphrase ?? '' } : { recipients: [recipient] };
}

function refuseRecipient(error: unknown): never {
  if (!(error instanceof BackupError)) throw error;
  throw new AppError('invalid_request', error.message, { details: { field: '/recipient' } });
}
