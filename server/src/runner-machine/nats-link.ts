import { randomUUID } from 'node:crypto';
import {
  loadNats,
  type NatsConnection,
  openBox,
  type QuestionAnswer,
  type QuestionBody,
  type RunnerQuestion,
  sealBox,
} from '#server/drivers/nats/index';
import { Secret } from '#server/kernel/secret';
import { untilAborted } from '#server/kernel/until-aborted';
import type { ReportedFacts } from '#shared/runner-pools/contract';
import { type HandedJob, runFileMaxBytes } from '../runner/index.ts';
import type { Identity } from './identity.ts';
import type { MachineLink } from './link.ts';

/** Milliseconds for which a machine waits for an offer before it asks again. */
const offerMs = 30_000;

type Renewing = {
  /** Asks for a right to connect that ends later; undefined when this machine was revoked. */
  renew(): Promise<string | undefined>;
};

type Deps = {
  connection: NatsConnection;
  identity: Identity;
  facts: () => Promise<ReportedFacts>;
};

/** Speaks with the server over NATS. */
export async function createNatsLink({ connection, identity, facts }: Deps): Promise<MachineLink & Renewing> {
  const nats = await loadNats();
  const { runnerId, poolId, verifyWith, sealKey } = identity;
  const incoming = nats.openPartStore({ connection, runnerId, direction: 'in' });
  const outgoing = nats.openPartStore({ connection, runnerId, direction: 'out' });
  const offers = nats.openOffers(connection, poolId);
  const question = <Name extends RunnerQuestion>(name: Name, body: QuestionBody<Name>): Promise<QuestionAnswer<Name>> =>
    nats.sendQuestion({ connection, senderId: runnerId, verifyWith }, name, body);
  const order = { process: randomUUID(), count: 0 };

  return {
    async nextOffer(signal) {
      const taken = await untilAborted(offers.next(offerMs), signal);
      return taken && { ...taken.offer, acknowledge: taken.acknowledge };
    },
    async claim(offer) {
      const answer = await question('claim', offer);
      return 'refused' in answer ? undefined : answer;
    },
    async resume(claim) {
      const answer = await question('resume', claim);
      if ('refused' in answer) return undefined;
      if ('pending' in answer) return 'pending';
      const { envelope, offset } = answer;
      const job = await nats.openJob(envelope, { runnerId, key: sealKey, verifyWith });
      return { job: job as HandedJob, offset };
    },
    async permit(claim, key) {
      const answer = await question('permit', { ...claim, order });
      if ('refused' in answer) return 'refused';
      // Only the server could seal it for this attempt.
      openBox(new Secret(key), { kind: 'permit', ...claim }, Buffer.from(answer.permit, 'base64'));
      return 'granted';
    },
    async lateKey(claim) {
      const answer = await question('lateState', claim);
      if ('pending' in answer) return 'pending';
      if (!('envelope' in answer)) return undefined;
      const job = await nats.openJob(answer.envelope, { runnerId, key: sealKey, verifyWith });
      return Buffer.from((job as HandedJob).runKey, 'base64');
    },
    async offerLateStates(claim, files) {
      const answer = await question('lateState', { ...claim, files: [...files] });
      if ('pending' in answer) return 'pending';
      return 'stored' in answer ? 'stored' : 'not_wanted';
    },
    async beat({ jobs, freeSlots, isDraining }) {
      const report = { facts: await facts(), freeSlots, isDraining, runs: [...jobs] };
      order.count += 1;
      const answer = await question('beat', { ...report, order });
      const { runs, ...rest } = answer;
      return { jobs: runs, ...rest };
    },
    async sendPiece({ jobId, ticket, key, offset, turn, content }) {
      const sealed = sealBox(new Secret(key), { kind: 'piece', jobId, ticket, offset }, content);
      await nats.publishPiece(connection, { runnerId, jobId, ticket, offset, turn, sealed });
    },
    sendFile: (file, key, signal) =>
      nats.sendFile({ store: outgoing, key: new Secret(key), file, maxBytes: runFileMaxBytes, signal }),
    fetchFile: (from, { key, file, signal }) =>
      nats.fetchFile(from, { store: incoming, key: new Secret(key), file, maxBytes: from.sizeBytes, signal }),
    fetchBytes: (from, { key, signal }) =>
      nats.fetchBytes(from, { store: incoming, key: new Secret(key), maxBytes: from.sizeBytes, signal }),
    async renew() {
      const answer = await question('renew', {});
      return 'refused' in answer ? undefined : answer.jwt;
    },
    onBeatRequest(callback) {
      const subscription = nats.listenForBeatRequests(connection, runnerId, callback);
      return () => subscription.unsubscribe();
    },
  };
}
