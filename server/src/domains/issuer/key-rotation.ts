import type { ActivityService } from '#server/domains/activity/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { oidcLifetimes } from '#shared/issuer/contract';
import type { SigningKeys } from './signing-keys.ts';

type Deps = {
  db: Db;
  clock: Clock;
  activity: Pick<ActivityService, 'record'>;
  signingKeys: Pick<SigningKeys, 'rotate'>;
  /** Called when the new key is stored. */
  onRotated: () => void;
};

/** Creates the replacement of the signing key. It returns the new one, and until when the replaced one stays listed. */
export const createKeyRotation =
  ({ db, clock, activity, signingKeys, onRotated }: Deps) =>
  (actorId: string): { kid: string; replacedListedUntil: string } =>
    db.write(() => {
      const kid = signingKeys.rotate();
      activity.record({ actorId, action: 'oidc_key.rotated', targetType: 'oidc_key', targetId: kid });
      db.afterCommit(onRotated);
      return { kid, replacedListedUntil: isoTime(clock.now() + oidcLifetimes.replacedKey * 1_000) };
    });
