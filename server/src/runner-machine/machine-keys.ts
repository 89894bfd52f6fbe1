import { z } from 'zod';
import { Secret } from '#server/kernel/secret';

/** Key pairs of a machine, whose private halves never leave it. */
export type PrivateKeys = {
  userKey: { publicKey: string; seed: Secret };
  /** Key pair that jobs are sealed to. */
  sealKey: { publicKey: string; privateKey: Secret };
};

/** Form of the keys in a private file of the machine. */
export const storedKeys = {
  userKey: z.strictObject({ publicKey: z.string(), seed: z.string() }),
  sealKey: z.strictObject({ publicKey: z.string(), privateKey: z.string() }),
};
type StoredKeys = { [Key in keyof typeof storedKeys]: z.infer<(typeof storedKeys)[Key]> };

export const keysOf = ({ userKey, sealKey }: StoredKeys): PrivateKeys => ({
  userKey: { ...userKey, seed: new Secret(userKey.seed) },
  sealKey: { ...sealKey, privateKey: new Secret(sealKey.privateKey) },
});

/** Returns the keys as they are written into a private file. */
export const revealKeys = ({ userKey, sealKey }: PrivateKeys): StoredKeys => ({
  userKey: { publicKey: userKey.publicKey, seed: userKey.seed.reveal() },
  sealKey: { publicKey: sealKey.publicKey, privateKey: sealKey.privateKey.reveal() },
});
