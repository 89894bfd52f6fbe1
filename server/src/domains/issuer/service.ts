import type { ActivityService } from '#server/domains/activity/index';
import { createIssuer, type Issuer, type IssuerAnswer, type IssuerRequest } from '#server/drivers/issuer/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { faultFields, type Log } from '#server/kernel/log';
import { oidcLifetimes } from '#shared/issuer/contract';
import { createFindOauthBearer } from './bearer.ts';
import { type AuthorityPorts, createFindAuthority } from './capsule-authority.ts';
import { createCapsuleClients } from './capsule-clients.ts';
import { type ClaimPorts, findAccess, findClaims } from './claims.ts';
import { readClients } from './clients.ts';
import { createConsents } from './consents.ts';
import { createGrantEnds } from './grant-ends.ts';
import { createInterfaceTokens } from './interface-tokens.ts';
import { createIntrospection, type IntrospectionPorts } from './introspection.ts';
import { createKeyRotation } from './key-rotation.ts';
import { createLoginMarks } from './login-marks.ts';
import { metadataOf } from './metadata.ts';
import { createRecordStore } from './record-store.ts';
import { createSigningKeys } from './signing-keys.ts';
import { createOidcStore } from './store.ts';
import { createSubjects } from './subjects.ts';

type Deps = Omit<ClaimPorts, 'capsuleClients'> &
  Omit<AuthorityPorts, 'workspaces'> &
  Pick<IntrospectionPorts, 'findPat' | 'notePatUse'> & {
    db: Db;
    clock: Clock;
    log: Log;
    vault: Pick<Vault, 'seal' | 'open' | 'installationKey'>;
    activity: Pick<ActivityService, 'record'>;
    findTokenGrant: Parameters<typeof createInterfaceTokens>[0]['findTokenGrant'];
    dataDir: string;
    capsules: Parameters<typeof createCapsuleClients>[0]['capsules'];
    configs: AuthorityPorts['configs'] & Parameters<typeof createCapsuleClients>[0]['configs'];
    workspaces: ClaimPorts['workspaces'] & AuthorityPorts['workspaces'];
  };
export type IssuerService = ReturnType<typeof createIssuerService>;

/** The OpenID Connect issuer of this server. */
export function createIssuerService(deps: Deps) {
  const { db, clock, log, vault } = deps;
  const store = createOidcStore(db);
  const ownClients = readClients(deps.dataDir);
  const findAuthority = createFindAuthority(deps);
  const capsuleClients = createCapsuleClients({ ...deps, store, findAuthority });
  const findClient = (id: string) => ownClients.get(id) ?? capsuleClients.find(id);
  const access = { ...deps, capsuleClients };
  const records = createRecordStore({ db, clock, vault, store });
  const signingKeys = createSigningKeys({ clock, vault, store });
  const subjectOf = createSubjects(() => vault.installationKey('oidc-subjects'));
  const consents = createConsents({ ...deps, store, nameOfClient: (id) => findClient(id)?.name });
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
      mayAuthorize: ({ person: { accountId }, clientId, workspaceId = null }) =>
        findAccess(access, { accountId, clientId, workspaceId }) !== undefined,
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
        return grant?.accountId === accountId ? findClaims(access, grant) : undefined;
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
    findAuthority,
    capsuleClients,
    metadata: () => metadataOf(deps.findOrigin()),
    listPublicKeys: () => {
      if (!signingKeys.isReady()) db.write(signingKeys.open);
      return signingKeys.listPublic();
    },
    /** The next request signs with the new key. */
    rotate: createKeyRotation({
      ...deps,
      signingKeys,
      onRotated: () => {
        issuer = undefined;
      },
    }),
    findBearer: createFindOauthBearer({ ...access, records, store, findClient, isActive: deps.identity.isActive }),
    introspection: createIntrospection({ ...access, store, records, answer, findClient, subjectOf, interfaceTokens }),
  };
}
