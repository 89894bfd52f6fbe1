import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { Clock } from '#server/kernel/clock';
import { sha256Hex } from '#server/kernel/digest';
import type { JsonObject } from '#shared/kernel/json';
import { clientMetadataOf } from './clients.ts';
import { type OutagePorts, writing } from './outage.ts';
import type { IssuerClient, RecordStore } from './ports.ts';

export type AdapterPorts = Pick<OutagePorts, 'isOutage'> & {
  clock: Clock;
  records: RecordStore;
  findClient: (clientId: string) => IssuerClient | undefined;
};

/** Detail of the error of a code or token that two requests have used at once. */
export const usedBefore = 'it was used before';

/** Kinds that live in one request only: accounts have their own sessions, and questions of consent their own records. */
const transient = new Set(['Session', 'Interaction']);

/** The adapter of one kind of record. Values of codes and tokens are stored as hashes. */
export function createAdapter(kind: string, ports: AdapterPorts): Adapter {
  const { clock, records, findClient } = ports;
  const write = <T>(work: () => T): T => writing(ports, work);
  const isStored = !transient.has(kind);
  const find = (value: string): AdapterPayload | undefined => {
    if (kind === 'Client') {
      const client = findClient(value);
      return client && clientMetadataOf(client);
    }
    const stored = isStored ? records.find(kind, sha256Hex(value)) : undefined;
    if (!stored) return undefined;
    const { consumedAt } = stored;
    const consumed = consumedAt === undefined ? {} : { consumed: Math.floor(consumedAt / 1_000) };
    return { ...(stored.payload as AdapterPayload), jti: value, ...consumed };
  };
  return {
    find: async (value) => find(value),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    async upsert(value, { jti: _secret, ...sent }, expiresIn = 0) {
      if (!isStored) return;
      const { exp: _end, ...endless } = sent;
      // A grant ends with its record, whose end moves with each new refresh token.
      const payload = kind === 'Grant' ? endless : sent;
      const { grantId } = sent;
      const expiresAt = clock.now() + expiresIn * 1_000;
      write(() => records.save({ kind, id: sha256Hex(value), payload: payload as JsonObject, grantId, expiresAt }));
    },
    async consume(value) {
      if (write(() => records.consume(kind, sha256Hex(value)))) return;
      // Two requests have used it at once: everything that was issued for it ends (RFC 9700, 2.2.2 and 4.14.2).
      const { grantId } = find(value) ?? {};
      if (grantId !== undefined) write(() => records.removeGrant(grantId));
      throw new errors.InvalidGrant(usedBefore);
    },
    async destroy(value) {
      if (isStored) write(() => records.remove(kind, sha256Hex(value)));
    },
    async revokeByGrantId(grantId) {
      write(() => records.removeGrant(grantId));
    },
  };
}
