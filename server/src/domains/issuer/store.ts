import { and, desc, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import type { Db } from '#server/kernel/db';
import { oidcCapsuleClients, oidcConsentRequests, oidcConsents, oidcGrants, oidcKeys, oidcRecords } from './schema.ts';

export type RecordRow = typeof oidcRecords.$inferSelect;
export type GrantRow = typeof oidcGrants.$inferSelect;
export type ConsentRow = typeof oidcConsents.$inferSelect;
export type ConsentRequestRow = typeof oidcConsentRequests.$inferSelect;
export type CapsuleClientRow = typeof oidcCapsuleClients.$inferSelect;
export type KeyRow = typeof oidcKeys.$inferSelect;
export type OidcStore = ReturnType<typeof createOidcStore>;

type ClientScopes = Pick<GrantRow, 'clientId' | 'scopes'>;

const expiredPerSweep = 100;

export const createOidcStore = (db: Db) => ({
  ...recordRows(db),
  ...grantRows(db),
  ...consentRows(db),
  ...capsuleClientRows(db),
  ...keyRows(db),
});

const recordRows = (db: Db) => ({
  saveRecord: (row: RecordRow): void =>
    void db.orm.insert(oidcRecords).values(row).onConflictDoUpdate({ target: oidcRecords.id, set: row }).run(),
  findRecord: (id: string, now: number): RecordRow | undefined =>
    db.orm
      .select()
      .from(oidcRecords)
      .where(and(eq(oidcRecords.id, id), gt(oidcRecords.expiresAt, now)))
      .get(),
  /** Marks a record as used, once. */
  consumeRecord: (id: string, now: number): boolean =>
    db.orm
      .update(oidcRecords)
      .set({ consumedAt: now })
      .where(and(eq(oidcRecords.id, id), isNull(oidcRecords.consumedAt)))
      .run().changes === 1,
  deleteRecord: (id: string): void => void db.orm.delete(oidcRecords).where(eq(oidcRecords.id, id)).run(),
  /** Deletes some of what has expired. */
  sweepRecords(now: number): void {
    const expired = db.orm
      .select({ id: oidcRecords.id })
      .from(oidcRecords)
      .where(lte(oidcRecords.expiresAt, now))
      .limit(expiredPerSweep);
    db.orm.delete(oidcRecords).where(inArray(oidcRecords.id, expired)).run();
    const ended = db.orm
      .select({ id: oidcGrants.id })
      .from(oidcGrants)
      .where(lte(oidcGrants.expiresAt, now))
      .limit(expiredPerSweep);
    db.orm.delete(oidcGrants).where(inArray(oidcGrants.id, ended)).run();
    db.orm.delete(oidcConsentRequests).where(lte(oidcConsentRequests.expiresAt, now)).run();
  },
});

const grantRows = (db: Db) => ({
  saveGrant: (row: GrantRow): void => void db.orm.insert(oidcGrants).values(row).run(),
  findGrant: (id: string): GrantRow | undefined => db.orm.select().from(oidcGrants).where(eq(oidcGrants.id, id)).get(),
  /** Deletes a grant with all its codes and tokens. */
  deleteGrant(id: string): void {
    db.orm.delete(oidcRecords).where(eq(oidcRecords.grantId, id)).run();
    db.orm.delete(oidcGrants).where(eq(oidcGrants.id, id)).run();
  },
  /** Deletes all grants, codes and tokens. Returns the number of grants. */
  deleteEveryGrant(): number {
    db.orm.delete(oidcRecords).run();
    return db.orm.delete(oidcGrants).run().changes;
  },
  /** Moves the end of a grant, and of its record. */
  extendGrant(id: string, { recordId, expiresAt }: { recordId: string; expiresAt: number }): void {
    db.orm.update(oidcGrants).set({ expiresAt }).where(eq(oidcGrants.id, id)).run();
    db.orm.update(oidcRecords).set({ expiresAt }).where(eq(oidcRecords.id, recordId)).run();
  },
  /** Lists clients with the sets of scopes of their grants. */
  listGrantedScopes: (): ClientScopes[] =>
    db.orm.selectDistinct({ clientId: oidcGrants.clientId, scopes: oidcGrants.scopes }).from(oidcGrants).all(),
  /** Deletes the grants of a client with exactly these scopes, with all their codes and tokens. */
  deleteGrantsWith({ clientId, scopes }: ClientScopes): void {
    const isEnded = and(eq(oidcGrants.clientId, clientId), eq(oidcGrants.scopes, scopes));
    const ended = db.orm.select({ id: oidcGrants.id }).from(oidcGrants).where(isEnded);
    db.orm.delete(oidcRecords).where(inArray(oidcRecords.grantId, ended)).run();
    db.orm.delete(oidcGrants).where(isEnded).run();
  },
  listGrantsOf: (accountId: string, workspaceId: string): GrantRow[] =>
    db.orm
      .select()
      .from(oidcGrants)
      .where(and(eq(oidcGrants.accountId, accountId), eq(oidcGrants.workspaceId, workspaceId)))
      .all(),
  listGrantsOfAccount: (accountId: string): GrantRow[] =>
    db.orm.select().from(oidcGrants).where(eq(oidcGrants.accountId, accountId)).all(),
  listGrantsIn: (workspaceId: string): GrantRow[] =>
    db.orm.select().from(oidcGrants).where(eq(oidcGrants.workspaceId, workspaceId)).all(),
  listGrantsOfClient: (clientId: string): GrantRow[] =>
    db.orm.select().from(oidcGrants).where(eq(oidcGrants.clientId, clientId)).all(),
  listGrants: ({ accountId, clientId }: Pick<GrantRow, 'accountId' | 'clientId'>): GrantRow[] =>
    db.orm
      .select()
      .from(oidcGrants)
      .where(and(eq(oidcGrants.accountId, accountId), eq(oidcGrants.clientId, clientId)))
      .all(),
});

type ConsentKey = Pick<ConsentRow, 'accountId' | 'clientId' | 'workspaceId'>;
const isOf = ({ accountId, clientId, workspaceId }: ConsentKey) =>
  and(
    eq(oidcConsents.accountId, accountId),
    eq(oidcConsents.clientId, clientId),
    eq(oidcConsents.workspaceId, workspaceId),
  );

const consentRows = (db: Db) => ({
  findConsent: (key: ConsentKey): ConsentRow | undefined => db.orm.select().from(oidcConsents).where(isOf(key)).get(),
  findConsentById: (id: string): ConsentRow | undefined =>
    db.orm.select().from(oidcConsents).where(eq(oidcConsents.id, id)).get(),
  saveConsent(row: ConsentRow): void {
    db.orm.delete(oidcConsents).where(isOf(row)).run();
    db.orm.insert(oidcConsents).values(row).run();
  },
  /** Lists clients with the sets of scopes of their consents. */
  listConsentedScopes: (): ClientScopes[] =>
    db.orm.selectDistinct({ clientId: oidcConsents.clientId, scopes: oidcConsents.scopes }).from(oidcConsents).all(),
  replaceConsentedScopes: ({ clientId, scopes }: ClientScopes, remaining: string[]): void =>
    void db.orm
      .update(oidcConsents)
      .set({ scopes: remaining })
      .where(and(eq(oidcConsents.clientId, clientId), eq(oidcConsents.scopes, scopes)))
      .run(),
  deleteConsent: (id: string): boolean =>
    db.orm.delete(oidcConsents).where(eq(oidcConsents.id, id)).run().changes === 1,
  deleteConsentsOfClient(clientId: string): void {
    db.orm.delete(oidcConsents).where(eq(oidcConsents.clientId, clientId)).run();
    db.orm.delete(oidcConsentRequests).where(eq(oidcConsentRequests.clientId, clientId)).run();
  },
  deleteEveryConsent(): void {
    db.orm.delete(oidcConsents).run();
    db.orm.delete(oidcConsentRequests).run();
  },
  listConsents: (accountId: string): ConsentRow[] =>
    db.orm
      .select()
      .from(oidcConsents)
      .where(eq(oidcConsents.accountId, accountId))
      .orderBy(desc(oidcConsents.createdAt), desc(oidcConsents.id))
      .all(),
  saveConsentRequest: (row: ConsentRequestRow): void => void db.orm.insert(oidcConsentRequests).values(row).run(),
  findConsentRequest: (idHash: string, now: number): ConsentRequestRow | undefined =>
    db.orm
      .select()
      .from(oidcConsentRequests)
      .where(and(eq(oidcConsentRequests.idHash, idHash), gt(oidcConsentRequests.expiresAt, now)))
      .get(),
  /** Uses a page of consent up; false when it was used before. */
  deleteConsentRequest: (idHash: string): boolean =>
    db.orm.delete(oidcConsentRequests).where(eq(oidcConsentRequests.idHash, idHash)).run().changes === 1,
});

const capsuleClientRows = (db: Db) => ({
  findCapsuleClient: (clientId: string): CapsuleClientRow | undefined =>
    db.orm.select().from(oidcCapsuleClients).where(eq(oidcCapsuleClients.clientId, clientId)).get(),
  saveCapsuleClient: (row: CapsuleClientRow): void =>
    void db.orm
      .insert(oidcCapsuleClients)
      .values(row)
      .onConflictDoUpdate({ target: oidcCapsuleClients.capsuleId, set: row })
      .run(),
  deleteCapsuleClient: (capsuleId: string): boolean =>
    db.orm.delete(oidcCapsuleClients).where(eq(oidcCapsuleClients.capsuleId, capsuleId)).run().changes === 1,
});

const keyRows = (db: Db) => ({
  insertKey: (row: KeyRow): void => void db.orm.insert(oidcKeys).values(row).run(),
  replaceKeys: (now: number): void =>
    void db.orm.update(oidcKeys).set({ replacedAt: now }).where(isNull(oidcKeys.replacedAt)).run(),
  /** Lists the keys that are in use or were replaced after a time, newest first. */
  listKeys: (since: number): KeyRow[] =>
    db.orm
      .select()
      .from(oidcKeys)
      .where(or(isNull(oidcKeys.replacedAt), gt(oidcKeys.replacedAt, since)))
      .orderBy(sql`${oidcKeys.replacedAt} IS NOT NULL`, desc(oidcKeys.createdAt))
      .all(),
});
