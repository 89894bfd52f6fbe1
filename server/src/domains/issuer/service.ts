import type { ActivityService } from '#server/domains/activity/index';
import { createIssuer, type Issuer, type IssuerAnswer, type IssuerRequest } from '#server/drivers/issuer/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { faultFields, type Log } from '#server/kernel/log';
import { oidcLifetimes } from '#shared/issuer/contract';
import { createFindOauthBearer } from './bearer.ts';
import { type ClaimPorts, findClaims, findWorkspaceClaim } from './claims.ts';
import { readClients } from './clients.ts';
import { createConsents } from './consents.ts';
import { createGrantEnds } from './grant-ends.ts';
import { createInterfaceTokens } from './interface-tokens.ts';
import { createIntrospection, type IntrospectionPorts } from './introspection.ts';
import { createLoginMarks } from './login-marks.ts';
import { metadataOf } from './metadata.ts';
import { createRecordStore } from './record-store.ts';
import { createSigningKeys } from './signing-keys.ts';
import { createOidcStore } from './store.ts';
import { createSubjects } from './subjects.ts';

type Deps = ClaimPorts &
  Pick<IntrospectionPorts, 'findPat' | 'notePatUse'> & {
    db: Db;
    clock: Clock;
    log: Log;
    vault: Pick<Vault, 'seal' | 'open' | 'installationKey'>;
    activity: Pick<ActivityService, 'record'>;
    findTokenGrant: Parameters<typeof createInterfaceTokens>[0]['findTokenGrant'];
    dataDir: string;
    /** Address of the server, once it listens. */
    findOrigin: () => string;
  };
export type IssuerService = ReturnType<typeof createIssuerService>;

/** The OpenID Connect issuer of this server. */
export function createIssuerService(deps: Deps) {
  const { db, clock, log, vault } = deps;
  const store = createOidcStore(db);
  const clients = readClients(deps.dataDir);
  const records = createRecordStore({ db, clock, vault, store });
  const signingKeys = createSigningKeys({ clock, vault, store });
  const subjectOf = createSubjects(() => vault.installationKey('oidc-subjects'));
  const consents = createConsents({ ...deps, store, nameOfClient: (id) => clients.get(id)?.name });
  const findClient = (id: string) => clients.get(id);
  const loginMarks = createLoginMarks(clock, () => vault.installationKey('oidc-logins'));
  const grants = createGrantEnds({ store, findClient });
  const interfaceTokens = createInterfaceTokens({ ...deps, records });
  let issuer: Issuer | undefined;

  /** The issuer is made at its first request: only then the vault is open and the address known. */
  function getIssuer(): Issuer {
    if (!issuer) db.write(grants.deleteOutdated);
    issuer ??= createIssuer({
      ...loginMarks,
      clock,
      issuer: deps.findOrigin(),
      keys: db.write(signingKeys.open),
      records,
      findClient,
      mayAuthorize: ({ person, workspaceId }) =>
        workspaceId === undefined || findWorkspaceClaim(deps, person.accountId, workspaceId) !== undefined,
      hasConsent: consents.has,
      requestConsent: consents.request,
      bindGrant: (id, { person, clientId, workspaceId, scopes }) => {
        const expiresAt = clock.now() + oidcLifetimes.refreshToken * 1_000;
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
        return grant?.accountId === accountId ? findClaims(deps, grant) : undefined;
      },
      subjectOf: (accountId, clientId) => {
        const client = findClient(clientId);
        return client ? subjectOf(accountId, client) : '';
      },
      onFault: (error) => log.error(faultFields(error), 'the issuer could not answer'),
    });
    return issuer;
  }

  const answer = (request: IssuerRequest): Promise<IssuerAnswer> => getIssuer().answer(request);
  return {
    answer,
    consents,
    grants,
    interfaceTokens,
    findClient,
    metadata: () => metadataOf(deps.findOrigin()),
    listPublicKeys: () => {
      if (!signingKeys.isReady()) db.write(signingKeys.open);
      return signingKeys.listPublic();
    },
    /** Replaces the signing key. Returns the thumbprint of the new one. */
    rotate(): string {
      const kid = db.write(signingKeys.rotate);
      issuer = undefined;
      return kid;
    },
    findBearer: createFindOauthBearer({ records, store, findClient, isActive: deps.identity.isActive }),
    introspection: createIntrospection({ ...deps, store, records, answer, findClient, subjectOf, interfaceTokens }),
  };
}
