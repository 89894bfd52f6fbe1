import type { IdentityService, Passwords } from '#server/domains/identity/index';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';

type Deps = {
  db: Db;
  identity: Pick<IdentityService, 'findPasswordHash' | 'recordFailure' | 'requireEnabled'>;
  passwords: Passwords;
};

export type PasswordProof = ReturnType<typeof createPasswordProof>;

const wrongPassword = () =>
  new AppError('invalid_credentials', 'Incorrect e-mail or password. Try again, or ask the operator for help.');

/** Proves accounts by their passwords. */
export function createPasswordProof({ db, identity, passwords }: Deps) {
  /** Records a refusal. An unknown e-mail is recorded too, so that both cases take the same time. */
  function refused(subject: string | undefined): AppError {
    db.write(() => identity.recordFailure(subject));
    return wrongPassword();
  }

  /**
   * Throws 401 unless this is the password of the account. The returned function checks the account again inside the
   * write, and returns its id.
   */
  return async function prove(subject: string | undefined, password: string): Promise<() => string> {
    const was = subject === undefined ? undefined : identity.findPasswordHash(subject);
    const isRight = await passwords.verify(was, password);
    if (!isRight || subject === undefined) throw refused(subject);
    return () => {
      identity.requireEnabled(subject);
      // A password that was changed during the comparison is no longer valid.
      if (identity.findPasswordHash(subject) !== was) throw wrongPassword();
      return subject;
    };
  };
}
