import { hash, verify } from '@node-rs/argon2';
import { AppError, invalidArgument } from '#server/kernel/errors';
import { passwordLimits } from '#shared/limits';

/** Argon2id (RFC 9106): 64 MiB, three passes, one lane. The library defaults to argon2id. */
const cost = { memoryCost: 65_536, timeCost: 3, parallelism: 1 } as const;

/** Hash of a random password: an attempt without an account takes as long as one with an account. */
const dummyHash = '$argon2id$v=19$m=65536,t=3,p=1$R3JvdW5kQ29udHJvbFNhbA$7Qm1kq0Zb1y6k0r0m7b3gVQ8d2m0c3m9Jx2Jc1qYp5A';

export type Passwords = {
  /** Throws 429 `rate_limited` when too many wait. */
  hash(password: string): Promise<string>;
  /** Takes the same time without a hash to compare with, and returns false. Throws 429 `rate_limited`. */
  verify(stored: string | null | undefined, password: string): Promise<boolean>;
};

/** Normalizes text whose characters can be encoded in several ways (RFC 8265, 4.2). */
const sameText = (password: string): string => password.normalize('NFC');

/** Limits concurrent password hashing, because each computation takes 64 MiB; further ones wait, and too many are refused. */
export function createPasswords(): Passwords {
  const turn = createTurns(passwordLimits);
  return {
    hash: (password) => turn(() => hash(sameText(password), cost)),
    verify: (stored, password) =>
      turn(async () => {
        const isSame = await verify(stored ?? dummyHash, sameText(password));
        return isSame && stored !== null && stored !== undefined;
      }),
  };
}

/** 12 to 256 code points, and not the e-mail. */
export function requireStrongPassword(password: string, email: string | null): void {
  const length = [...sameText(password)].length;
  if (length < passwordLimits.least || length > passwordLimits.most)
    throw invalidArgument(
      'password_too_weak',
      `A password has ${passwordLimits.least} to ${passwordLimits.most} characters. Choose another one.`,
    );
  if (email !== null && sameText(password).toLowerCase() === email)
    throw invalidArgument('password_too_weak', 'The password must not be the e-mail. Choose another one.');
}

function createTurns({ atOnce, waiting }: { atOnce: number; waiting: number }) {
  const queue: (() => void)[] = [];
  let running = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (queue.length >= waiting)
        throw new AppError('rate_limited', 'Too many people are signing in. Try again in a moment.', {
          details: { retryAfterSeconds: 1 },
        });
      // The next waiting computation takes over the slot of the one that ended.
      await new Promise<void>((go) => queue.push(go));
    } else running += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
