import { eq } from 'drizzle-orm';
import type { Db } from './db.ts';
import { installation } from './schema.ts';

/** Returns the id of this data folder; undefined in a ledger that no server has started on. */
export const findInstallationId = (db: Pick<Db, 'orm'>): string | undefined =>
  db.orm.select().from(installation).where(eq(installation.name, 'id')).get()?.value;

/** Returns the id of this data folder, creating it at the first start. */
export function readInstallationId(db: Db, make: () => string): string {
  return db.write(() => {
    const known = findInstallationId(db);
    if (known !== undefined) return known;
    const value = make().replaceAll('-', '');
    db.orm.insert(installation).values({ name: 'id', value }).run();
    return value;
  });
}
