import type { Db } from '#server/kernel/db';
import type { FormIdentity } from '#shared/form-packages/contract';
import { formPackages } from './schema.ts';

export type FormPackagesStore = ReturnType<typeof createFormPackagesStore>;

export const createFormPackagesStore = (db: Db) => ({
  /** Remembers an exact reference; does nothing when it was installed before. */
  insert: ({ formRef, packageDigest }: FormIdentity, installedAt: number): void =>
    void db.orm
      .insert(formPackages)
      .values({ ...formRef, packageDigest, installedAt })
      .onConflictDoNothing()
      .run(),
  /** Every reference that was ever installed. */
  list: (): FormIdentity[] =>
    db.orm
      .select()
      .from(formPackages)
      .all()
      .map(({ packageDigest, installedAt: _, ...formRef }) => ({ formRef, packageDigest })),
});
