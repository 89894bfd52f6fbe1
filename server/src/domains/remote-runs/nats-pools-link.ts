import { fileName, loadNats, type NatsConnection, NatsError } from '#server/drivers/nats/index';
import { runFileMaxBytes } from '#server/runner/index';
import type { PoolsLink } from './link.ts';

/** Speaks with the machines over NATS; rejects with `unreachable` while there is no connection. */
export function createNatsPoolsLink(current: () => NatsConnection | undefined): PoolsLink {
  async function connected() {
    const connection = current();
    if (!connection) throw new NatsError('unreachable');
    return { nats: await loadNats(), connection };
  }
  const storeOf = async (machineId: string, direction: 'in' | 'out') => {
    const { nats, connection } = await connected();
    return { nats, connection, store: nats.openPartStore({ connection, runnerId: machineId, direction }) };
  };

  return {
    async offer(poolId, { runId, kind, attempt }) {
      const { nats, connection } = await connected();
      // Offers of an earlier server have other turns, so that none counts as repeated.
      await nats.publishOffer(connection, { poolId, kind, offer: { runId, attempt }, turn: Date.now() });
    },
    announce(machineId) {
      connected()
        .then(({ nats, connection }) => nats.requestBeat(connection, machineId))
        .catch(() => {});
    },
    async sendFile(file, { machineId, key, signal }) {
      const { nats, store } = await storeOf(machineId, 'in');
      return nats.sendFile({ store, key, file, maxBytes: Number.MAX_SAFE_INTEGER, signal });
    },
    async sendBytes(bytes, { machineId, key, signal }) {
      const { nats, store } = await storeOf(machineId, 'in');
      return nats.sendBytes(bytes, { store, key, signal });
    },
    async fetchFile(from, { machineId, key, file, signal }) {
      const { nats, connection, store } = await storeOf(machineId, 'out');
      await nats.fetchFile(from, { store, key, file, maxBytes: runFileMaxBytes, signal });
      // A machine may leave only so much in NATS. What cannot be deleted now is deleted after a day. No Run waits for it.
      void nats
        .createStreamManager(connection)
        .deleteFile(machineId, 'out', fileName(key, from))
        .catch(() => {});
    },
    async deleteFile(file, { machineId, key, direction }) {
      const { nats, connection } = await connected();
      await nats.createStreamManager(connection).deleteFile(machineId, direction, fileName(key, file));
    },
    async purgeJournal(machineId, jobId) {
      const { nats, connection } = await connected();
      await nats.createStreamManager(connection).deleteJournal(machineId, jobId);
    },
  };
}
