import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Db } from './db.ts';
import { installation } from './schema.ts';

/** Names of the facts of an installation that are stored as JSON. */
type FactName = 'restored' | 'pause' | 'recovery_kit' | 'fence' | 'promotion' | 'backup_schedule';

const findValue = (db: Pick<Db, 'orm'>, name: string): string | undefined =>
  db.orm.select().from(installation).where(eq(installation.name, name)).get()?.value;

/** Returns the id of this data folder; undefined in a ledger that no server has started on. */
export const findInstallationId = (db: Pick<Db, 'orm'>): string | undefined => findValue(db, 'id');

/** Returns the id of this data folder, creating it at the first start. */
export function readInstallationId(db: Db, make: () => string = randomUUID): string {
  return db.write(() => {
    const known = findInstallationId(db);
    if (known !== undefined) return known;
    const value = make().replaceAll('-', '');
    db.orm.insert(installation).values({ name: 'id', value }).run();
    return value;
  });
}

/** Returns a fact of this installation, if it was written. */
export function findFact<T>(db: Pick<Db, 'orm'>, name: FactName): T | undefined {
  const value = findValue(db, name);
  return value === undefined ? undefined : (JSON.parse(value) as T);
}

/** Writes a fact of this installation, in the caller's transaction. */
export function writeFact(db: Pick<Db, 'orm'>, name: FactName, fact: object): void {
  const value = JSON.stringify(fact);
  db.orm
    .insert(installation)
    .values({ name, value })
    .onConflictDoUpdate({ target: installation.name, set: { value } })
    .run();
}
