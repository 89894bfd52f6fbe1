import type { ActivityService } from '#server/domains/activity/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import type { Log } from '#server/kernel/log';
import { createFindOauthBearer } from './bearer.ts';
import { type AuthorityPorts, createFindAuthority } from './capsule-authority.ts';
import { type BoundClient, createCapsuleClients } from './capsule-clients.ts';
import type { ClaimPorts } from './claims.ts';
import { readClients } from './clients.ts';
import { createConsents } from './consents.ts';
import { createGrantEnds } from './grant-ends.ts';
import { createInterfaceTokens } from './interface-tokens.ts';
import { createIntrospection, type IntrospectionPorts } from './introspection.ts';
import { createKeyRotation } from './key-rotation.ts';
import { createLoginMarks } from './login-marks.ts';
import { metadataOf } from './metadata.ts';
import { createRecordStore } from './record-store.ts';
import { createRunningIssuer } from './running-issuer.ts';
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
  const { db, clock, vault } = deps;
  const store = createOidcStore(db);
  const ownClients = readClients(deps.dataDir);
  const findAuthority = createFindAuthority(deps);
  const capsuleClients = createCapsuleClients({ ...deps, store, findAuthority });
  const findClient = (id: string) => ownClients.get(id) ?? capsuleClients.find(id);
  const findBound = (id: string): BoundClient | undefined => {
    const client = ownClients.get(id);
    return client ? { client } : capsuleClients.findBound(id);
  };
  const access = { ...deps, capsuleClients };
  const records = createRecordStore({ db, clock, vault, store });
  const signingKeys = createSigningKeys({ clock, vault, store });
  const subjectOf = createSubjects(() => vault.installationKey('oidc-subjects'));
  const consents = createConsents({ ...deps, store, nameOfClient: (id) => findClient(id)?.name });
  const loginMarks = createLoginMarks(clock, () => vault.installationKey('oidc-logins'));
  const grants = createGrantEnds({ store, findClient });
  const interfaceTokens = createInterfaceTokens({ ...deps, records });
  const issuer = createRunningIssuer({
    ...deps,
    access,
    store,
    records,
    signingKeys,
    consents,
    grants,
    loginMarks,
    findClient,
    subjectOf,
  });
  const { answer } = issuer;
  return {
    answer,
    authorize: issuer.authorize,
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
    rotate: createKeyRotation({ ...deps, signingKeys, onRotated: issuer.renew }),
    findBearer: createFindOauthBearer({ records, store, findBound, isActive: deps.identity.isActive }),
    introspection: createIntrospection({ ...access, store, records, answer, findClient, subjectOf, interfaceTokens }),
  };
}
