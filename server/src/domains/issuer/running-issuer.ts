import type { ActivityService } from '#server/domains/activity/index';
import {
  createIssuer,
  type Issuer,
  type IssuerAnswer,
  type IssuerClient,
  type IssuerPorts,
  type IssuerRequest,
  type RecordStore,
} from '#server/drivers/issuer/index';
import type { Clock } from '#server/kernel/clock';
import { type Db, isLedgerFault } from '#server/kernel/db';
import { faultFields, type Log } from '#server/kernel/log';
import { oidcLifetimes } from '#shared/issuer/contract';
import { unavailable } from './answers.ts';
import { type ClaimPorts, findAccess, findClaims } from './claims.ts';
import { createClosedIssuer } from './closed-issuer.ts';
import type { Consents } from './consents.ts';
import type { createGrantEnds } from './grant-ends.ts';
import type { createLoginMarks } from './login-marks.ts';
import type { SigningKeys } from './signing-keys.ts';
import type { OidcStore } from './store.ts';

type Parts = {
  db: Db;
  clock: Clock;
  log: Log;
  activity: Pick<ActivityService, 'record'>;
  /** Address of the server, once it listens. */
  findOrigin: () => string;
  access: ClaimPorts;
  store: OidcStore;
  records: RecordStore;
  signingKeys: SigningKeys;
  consents: Pick<Consents, 'has' | 'request'>;
  grants: Pick<ReturnType<typeof createGrantEnds>, 'deleteOutdated'>;
  loginMarks: ReturnType<typeof createLoginMarks>;
  findClient: (clientId: string) => IssuerClient | undefined;
  subjectOf: (accountId: string, client: IssuerClient) => string;
};

/** Creates the issuer at its first request: only then its address is known. */
export function createRunningIssuer(parts: Parts) {
  const { db, grants } = parts;
  let issuer: Issuer | undefined;
  let closed: Issuer | undefined;
  let isSwept = false;

  function open(): Issuer {
    if (!isSwept) db.write(grants.deleteOutdated);
    isSwept = true;
    issuer ??= createIssuer({ ...basicPorts(parts), ...flowPorts(parts) });
    return issuer;
  }

  /** Returns the issuer; undefined while the ledger takes no writes and it was not opened before. */
  function tryOpen(): Issuer | undefined {
    try {
      return open();
    } catch (error) {
      if (isLedgerFault(error)) return undefined;
      throw error;
    }
  }

  function openClosed(): Issuer {
    closed ??= createClosedIssuer(basicPorts(parts));
    return closed;
  }

  return {
    answer: async (request: IssuerRequest): Promise<IssuerAnswer> => tryOpen()?.answer(request) ?? unavailable,
    /** Answers an authorization request. While the ledger takes no writes, clients learn it at their redirect. */
    authorize: (request: IssuerRequest): Promise<IssuerAnswer> => (tryOpen() ?? openClosed()).answer(request),
    /** The next request reads the signing keys again. */
    renew(): void {
      issuer = undefined;
    },
  };
}

const basicPorts = ({ clock, log, findOrigin, findClient }: Parts) => ({
  clock,
  issuer: findOrigin(),
  findClient,
  isOutage: isLedgerFault,
  onFault: (error: Error) => log.error(faultFields(error), 'the issuer could not answer'),
});

const denials = {
  member: 'the account is not an active member of the Workspace',
  closed: 'the sign-in of the app is closed until the change of its Capsule is applied',
} as const;

type FlowPorts = Omit<IssuerPorts, keyof ReturnType<typeof basicPorts>>;

function flowPorts(parts: Parts): FlowPorts {
  const { db, clock, access, store, records, signingKeys, consents, loginMarks, findClient, subjectOf, activity } =
    parts;
  return {
    ...loginMarks,
    takesWrites: () => true,
    keys: db.write(signingKeys.open),
    records,
    findDenial: ({ person: { accountId }, clientId, workspaceId = null }) => {
      if (findAccess(access, { accountId, clientId, workspaceId }) !== undefined) return undefined;
      return access.capsuleClients.findBinding(clientId)?.isLive === false ? denials.closed : denials.member;
    },
    hasConsent: consents.has,
    requestConsent: consents.request,
    bindGrant: (id, { person, clientId, workspaceId, scopes }) => {
      const expiresAt = clock.now() + oidcLifetimes.grant * 1_000;
      const grant = {
        id,
        accountId: person.accountId,
        clientId,
        workspaceId: workspaceId ?? null,
        scopes: [...scopes],
        expiresAt,
      };
      db.write(() => store.saveGrant(grant));
    },
    findClaims: (accountId, grantId) => {
      const grant = store.findGrant(grantId);
      return grant?.accountId === accountId ? findClaims(access, grant) : undefined;
    },
    onReuse: ({ accountId, clientId }) =>
      db.write(() =>
        activity.record({
          action: 'oidc.refresh_reused',
          targetType: 'account',
          targetId: accountId,
          metadata: { clientId },
        }),
      ),
    subjectOf: (accountId, clientId) => {
      const client = findClient(clientId);
      return client ? subjectOf(accountId, client) : '';
    },
  };
}
