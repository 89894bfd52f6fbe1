import type { Clock } from '#server/kernel/clock';
import { createDeadline } from '#server/kernel/deadline';
import { failpoint } from '#server/kernel/failpoints';
import type { Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import { stopWork } from '#server/kernel/stop-work';
import type { WorkGate } from '#server/kernel/work-gate';
import { runCredentialLimits } from '#shared/limits';
import type { Outgoing } from '../outgoing.ts';
import type { IssuanceRow, IssuanceStore } from '../run-store.ts';
import { IssueError, issueCredential, revokeCredential, type ServiceHost } from './credential-service.ts';
import type { CredentialService, CredentialServices } from './credential-services.ts';

const { retrySeconds, revokeHours } = runCredentialLimits;

export type RevocationPorts = {
  clock: Clock;
  log: Log;
  unattendedGate: WorkGate;
  outbox: Pick<Outbox, 'listen'>;
  issuances: IssuanceStore;
  services: CredentialServices;
  outgoing: Outgoing;
  host: Omit<ServiceHost, 'outgoing'>;
};
export type Revocations = { start(): void; stop(): Promise<void> };

/**
 * Revokes what credential services issued to Runs that have ended, one after another. The rows are the queue, so a
 * revocation survives the process; a failed one is tried again for a day.
 */
export function createRevocations(ports: RevocationPorts) {
  const { clock, log, unattendedGate, outbox, issuances, services, outgoing, host } = ports;
  const stopping = new AbortController();
  let isStarted = false;
  const { signal } = stopping;
  const calls = { outgoing, ...host };

  /**
   * Returns the id of the credential. A request whose answer is unknown is repeated: the same key gets the same
   * credential. Throws when the answer names none, because the first request may have issued one.
   */
  async function getId(service: CredentialService, { credentialId, key, request, seq }: IssuanceRow) {
    if (credentialId !== null) return credentialId;
    try {
      const { id } = await issueCredential(service, { key, request }, calls, { now: clock.now(), signal });
      issuances.update(seq, { credentialId: id });
      return id;
    } catch (error) {
      if (!(error instanceof IssueError) || typeof error.issued !== 'object') throw error;
      issuances.update(seq, { credentialId: error.issued.id });
      return error.issued.id;
    }
  }

  async function revoke(row: IssuanceRow): Promise<boolean> {
    const service = services.find(row.recipeId);
    if (!service) return false;
    const id = await getId(service, row);
    failpoint('credentials.revoke');
    const isRevoked = await revokeCredential(service, id, calls, signal);
    failpoint('credentials.revoked');
    return isRevoked;
  }

  async function attempt(row: IssuanceRow): Promise<void> {
    const isRevoked = await revoke(row).catch(() => false);
    if (isRevoked) return issuances.delete(row.seq);
    // An attempt that the stop of the server ended did not fail.
    if (signal.aborted) return;
    const now = clock.now();
    const giveUpAt = row.giveUpAt ?? now + revokeHours * 3_600_000;
    const { runId, recipeId } = row;
    if (now >= giveUpAt) {
      log.error(
        { runId, recipeId },
        'credentials of a Run could not be revoked for a day. Revoke them at the service.',
      );
      return issuances.delete(row.seq);
    }
    log.warn({ runId, recipeId, tries: row.tries + 1 }, 'credentials of a Run could not be revoked yet');
    const pauseMs = (retrySeconds[Math.min(row.tries, retrySeconds.length - 1)] ?? 0) * 1_000;
    issuances.update(row.seq, { tries: row.tries + 1, dueAt: Math.min(now + pauseMs, giveUpAt), giveUpAt });
  }

  async function attemptAll(rows: readonly IssuanceRow[]): Promise<void> {
    for (const row of rows) if (!signal.aborted && unattendedGate.mayAct()) await attempt(row);
  }

  const deadline = createDeadline({
    clock,
    log,
    gate: unattendedGate,
    findNext: issuances.findNextDue,
    async handlePast(now) {
      // A service that does not answer delays its own credentials only.
      const byService = Map.groupBy(issuances.listDue(now), ({ recipeId }) => recipeId);
      await Promise.all([...byService.values()].map(attemptAll));
    },
    failure: 'credentials of ended Runs could not be revoked',
  });
  const unsubscribe = outbox.listen(({ kind, status }) => {
    if (isStarted && kind === 'run' && status !== 'queued' && status !== 'running') deadline.start();
  });

  return {
    start() {
      isStarted = true;
      deadline.start();
    },
    async stop() {
      isStarted = false;
      unsubscribe();
      await stopWork(deadline.stop(), stopping);
    },
  } satisfies Revocations;
}
