import type { MachineRow, NewEnrolment, RunnerPoolsService } from '#server/domains/runner-pools/index';
import { type Authority, loadNats, type NatsConnection, NatsError } from '#server/drivers/nats/index';
import { AppError, invalidArgument } from '#server/kernel/errors';
import { faultFields, type Log } from '#server/kernel/log';
import { Secret } from '#server/kernel/secret';
import type { NatsReplicas } from '#server/kernel/settings-nats';
import { nothingLeft, type QueryOf } from '#shared/kernel/endpoint';
import type { runnerPoolsApi } from '#shared/runner-pools/api';
import { createRepeatedWork } from './repeated-work.ts';

const invalidConfiguration = () =>
  invalidArgument(
    'nats_configuration_invalid',
    'Name an address with a port, such as 0.0.0.0:4222, and paths without quotes; certificate and key go together. A member of a cluster has a name, an address and routes, and with a certificate also the authority of the members.',
  );

/** Seconds for which a machine may connect; it renews its right several times a day. */
const memberSeconds = 86_400;

type NatsQuery = QueryOf<typeof runnerPoolsApi.readNatsConfiguration>;

type Deps = {
  log: Log;
  urls: readonly string[];
  /** Pinned certificate authority of NATS as PEM. */
  ca: string | undefined;
  /** Copies of streams. */
  replicas: NatsReplicas;
  authority: () => Promise<Authority>;
  pools: Pick<RunnerPoolsService, 'listPoolIds' | 'listMembers'>;
  /** Returns the second at which earlier servers were revoked; undefined when none was promoted. */
  findServersRevokedAt: () => number | undefined;
  /** Returns the connection of the server; undefined while there is none. */
  findConnection: () => NatsConnection | undefined;
  stopping: AbortSignal;
};

export type Membership = ReturnType<typeof createMembership>;

/** The rights of machines at NATS: who may join, who is in, and who was put out. */
export function createMembership(deps: Deps) {
  const { urls, ca, replicas, authority, pools, findServersRevokedAt } = deps;
  let opened: { authority: Authority; writeEnrolment: (content: EnrolmentContent) => string } | undefined;
  type EnrolmentContent = Parameters<Awaited<ReturnType<typeof loadNats>>['writeEnrolment']>[0];

  const { listRevoked, publishRevocations, requestRevocations } = createRevocations(deps);

  return {
    /** Loads what `enrolmentText` needs. */
    async open(): Promise<void> {
      const { writeEnrolment } = await loadNats();
      opened = { authority: await authority(), writeEnrolment };
    },

    /** Signs the right of a machine to connect. */
    async sign({ id: runnerId, poolId, publicKey }: Pick<MachineRow, 'id' | 'poolId' | 'publicKey'>): Promise<string> {
      return (await authority()).signRunner({ runnerId, poolId, publicKey, seconds: memberSeconds });
    },

    /** Returns the text with which a machine joins a pool. 503 `runner_unavailable` while the keys are not open. */
    enrolmentText({ id: enrolmentId, token }: NewEnrolment): string {
      if (!opened)
        throw new AppError('runner_unavailable', 'The keys for NATS are not open yet. Try again in a moment.');
      const { jwt, seed } = opened.authority.createEnrolmentUser(enrolmentId);
      const { verifyWith } = opened.authority;
      return opened.writeEnrolment({ enrolmentId, urls, ca, verifyWith, jwt, seed, token: new Secret(token) });
    },

    /** Returns the configuration of a NATS server, with the machines that are revoked now. 400 `nats_configuration_invalid`. */
    async configuration({
      listen,
      folder,
      certificate,
      key,
      serverName,
      clusterListen,
      routes,
      clusterAuthority,
      ...rest
    }: NatsQuery): Promise<string> {
      nothingLeft(rest);
      if ((certificate === undefined) !== (key === undefined)) throw invalidConfiguration();
      const { natsConfiguration } = await loadNats();
      const tls = certificate !== undefined && key !== undefined ? { certFile: certificate, keyFile: key } : undefined;
      const cluster = clusterOf({ serverName, clusterListen, routes, clusterAuthority });
      try {
        return natsConfiguration(await authority(), {
          listen,
          dataDir: folder,
          tls,
          cluster,
          revocations: listRevoked(),
          serversRevokedAt: findServersRevokedAt(),
        });
      } catch (error) {
        if (error instanceof NatsError && error.reason === 'settings_invalid') throw invalidConfiguration();
        throw error;
      }
    },

    /** Makes everything at NATS that the ledger knows: streams, pools, machines, revocations. */
    async establish(connection: NatsConnection): Promise<void> {
      const nats = await loadNats();
      const streams = nats.createStreamManager(connection, { replicas });
      await streams.createStreams();
      for (const poolId of pools.listPoolIds()) await streams.createPool(poolId);
      await streams.deleteOtherPools(pools.listPoolIds);
      const members = pools.listMembers();
      for (const { id, revokedAt } of members) if (revokedAt === null) await streams.createRunner(id);
      await streams.deleteRunners(members.flatMap(({ id, revokedAt }) => (revokedAt === null ? [] : [id])));
      await publishRevocations();
    },

    /** Deletes at NATS the pools that the ledger does not have. Each connect does so too. */
    requestPoolDeletions: createPoolDeletions(deps),

    /** Puts out at NATS what the ledger has revoked. Repeated until NATS has accepted it. */
    requestRevocations,
  };
}

/** Returns what deletes removed pools at NATS, until NATS has accepted it. */
function createPoolDeletions({ log, replicas, pools, findConnection, stopping }: Deps): () => void {
  async function work(): Promise<void> {
    const connection = findConnection();
    if (!connection) return;
    const { createStreamManager } = await loadNats();
    await createStreamManager(connection, { replicas }).deleteOtherPools(pools.listPoolIds);
  }
  return createRepeatedWork({
    work,
    onFault: (error) => log.warn(faultFields(error), 'NATS did not delete a removed pool, which is repeated'),
    signal: stopping,
  });
}

type ClusterQuery = Pick<NatsQuery, 'serverName' | 'clusterListen' | 'routes' | 'clusterAuthority'>;

/** Returns what makes a server a member of a cluster; undefined for a server of its own. 400 `nats_configuration_invalid`. */
function clusterOf({ serverName, clusterListen, routes, clusterAuthority }: ClusterQuery) {
  if ([serverName, clusterListen, routes, clusterAuthority].every((member) => member === undefined)) return undefined;
  if (serverName === undefined || clusterListen === undefined || routes === undefined) throw invalidConfiguration();
  const members = routes.split(',').map((route) => route.trim());
  return { serverName, listen: clusterListen, routes: members, authority: clusterAuthority };
}

/** Machines that were put out. */
function createRevocations({ log, urls, ca, authority, pools, findServersRevokedAt, stopping }: Deps) {
  /** Revoked machines with the second of it. Each stays listed, so that a restored NATS does not know it again. */
  const listRevoked = (): Record<string, number> =>
    Object.fromEntries(
      pools
        .listMembers()
        .flatMap(({ publicKey, revokedAt }) => (revokedAt === null ? [] : [[publicKey, Math.ceil(revokedAt / 1_000)]])),
    );

  /** Puts out the revoked machines, also those that are connected. */
  async function publishRevocations(): Promise<void> {
    const nats = await loadNats();
    const keys = await authority();
    const user = keys.createSystemUser();
    const system = await nats.connectOnce({ urls, ca, credentials: () => user });
    try {
      await nats.publishRevocations(system, keys, listRevoked());
      const serversRevokedAt = findServersRevokedAt();
      if (serversRevokedAt !== undefined) await nats.revokeServers(system, keys, serversRevokedAt);
    } finally {
      await system.close();
    }
  }

  const requestRevocations = createRepeatedWork({
    work: publishRevocations,
    onFault: (error) => log.warn(faultFields(error), 'NATS did not accept a revocation, which is repeated'),
    signal: stopping,
  });

  return { listRevoked, publishRevocations, requestRevocations };
}
