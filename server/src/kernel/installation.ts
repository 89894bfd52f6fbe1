import { eq } from 'drizzle-orm';
import type { Db } from './db.ts';
import { installation } from './schema.ts';

/** Id of this data folder, made at its first start. */
export function readInstallationId(db: Db, make: () => string): string {
  return db.write(() => {
    const known = db.orm.select().from(installation).where(eq(installation.name, 'id')).get();
    if (known) return known.value;
    const value = make().replaceAll('-', '');
    db.orm.insert(installation).values({ name: 'id', value }).run();
    return value;
  });
}
