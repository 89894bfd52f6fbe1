import type { LookupFunction } from 'node:net';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { failpoint } from '#server/kernel/failpoints';
import type { Secret } from '#server/kernel/secret';
import { type GitUrlRules, parseGitUrl } from '#shared/sources/git-address';
import { inputText } from '../inputs.ts';
import { openMaterials, sealMaterials } from '../materials.ts';
import type { Outgoing } from '../outgoing.ts';
import type { IssuanceRow, IssuanceStore } from '../run-store.ts';
import type { RunCredentialRequest } from '../schema.ts';
import type { ConnectionRow, ConnectionsStore } from '../store.ts';
import { requestToken } from './access-token.ts';
import { IssueError, issueCredential, noService, requestKind, type ServiceHost } from './credential-service.ts';
import type { CredentialServices } from './credential-services.ts';
import { MintError, mintTarget } from './mint-error.ts';
import type { Minted } from './minted.ts';

/** A Run that gets credentials; `phase` is that of its tool. */
export type MintingRun = { id: string; workspaceId: string; capsuleId: string; phase: string };

export type MintPorts = {
  db: Db;
  clock: Clock;
  vault: Vault;
  store: Pick<ConnectionsStore, 'find' | 'listMaterials' | 'replaceMaterial'>;
  issuances: IssuanceStore;
  services: CredentialServices;
  outgoing: Outgoing;
  gitRules: GitUrlRules;
  /** Checks the addresses of token endpoints. */
  lookup: LookupFunction;
  host: Omit<ServiceHost, 'outgoing'>;
  /** Runs work whose deletions are overwritten in the ledger's file. */
  erase: <T>(work: () => T) => T;
};

/** Gets the credentials that Connections have for one Run only, as their recipes say. */
export function createMint(ports: MintPorts) {
  const { clock } = ports;
  const inTurn = createTurns();
  const mintToken = createTokenMint(ports);
  const mintAtService = createServiceMint(ports);

  /**
   * Returns the credentials of a Connection for a Run, or undefined when it has none of its own. Throws `MintError`, and
   * the reason of the signal.
   */
  return (connectionId: string, run: MintingRun, signal: AbortSignal): Promise<Minted> | undefined => {
    const { preRun, runIssuance } = ports.store.find(connectionId)?.recipe?.mode ?? {};
    const mintNow = async (mint: (row: ConnectionRow, call: Call) => Promise<Minted>): Promise<Minted> => {
      signal.throwIfAborted();
      return mint(requireActive(ports.store.find(connectionId)), { now: clock.now(), signal });
    };
    // A token address may replace the refresh token at each request.
    if (preRun) return inTurn(connectionId, () => mintNow(mintToken));
    return runIssuance && mintNow((row, call) => mintAtService(row, run, call));
  };
}

/** Returns a Connection that was not revoked while its turn was awaited. Throws `MintError`. */
function requireActive(row: ConnectionRow | undefined): ConnectionRow {
  if (row && row.status !== 'revoked') return row;
  throw new MintError(
    'credential_mint_failed',
    `The Connection bound to ${mintTarget} is revoked. Bind another Connection.`,
  );
}

/** Runs the work of each key one after another. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, settled);
    void settled.then(() => last.get(key) === settled && last.delete(key));
    return turn;
  };
}

type Call = { now: number; signal: AbortSignal };

function createTokenMint({ vault, store, erase, gitRules, outgoing, lookup, host }: MintPorts) {
  function saveRefreshToken(row: ConnectionRow, refreshToken: Secret): void {
    const name = row.recipe?.mode.preRun?.inputs?.['refresh_token']?.name ?? 'refresh_token';
    const text = refreshToken.reveal();
    erase(() => {
      // A revoke may have erased the material since.
      for (const sealed of sealMaterials(vault, row, [{ kind: 'env', name, text, isPlain: false }]))
        store.replaceMaterial(sealed);
    });
  }

  return async (row: ConnectionRow, call: Call): Promise<Minted> => {
    const { type, inputs: materials = {} } = row.recipe?.mode.preRun ?? { type: 'oauth_client_credentials' as const };
    const opened = openMaterials(vault, row, store.listMaterials(row.id));
    const texts = Object.entries(materials).map(([name, material]) => [name, inputText(name, material, row, opened)]);
    const inputs: Record<string, string> = Object.fromEntries(texts.filter(([, text]) => text !== undefined));
    const address = parseGitUrl(inputs['token_url'] ?? '', { ...gitRules, allowLocal: false });
    if (!address.ok)
      throw new MintError(
        'credential_mint_failed',
        `The token address of the Connection bound to ${mintTarget} is not allowed. Create a Connection with an https address.`,
      );
    const minted = await requestToken({ type, inputs }, { outgoing, lookup, ...host }, call);
    if (minted.refreshToken) saveRefreshToken(row, minted.refreshToken);
    call.signal.throwIfAborted();
    failpoint('credentials.answered');
    return minted;
  };
}

function createServiceMint({ db, issuances, services, outgoing, host }: MintPorts) {
  /** A Run that is started again repeats its requests. A second, different one of a Run has a key of its own. */
  function findOrInsert(row: ConnectionRow, recipeId: string, request: RunCredentialRequest) {
    return db.write(() => {
      const known = issuances.listOfRun(request.runId, recipeId);
      const same = known.find((one) => jsonDigest(one.request) === jsonDigest(request));
      if (same) return { issuance: same, isNew: false };
      const count = new Set(known.map(({ key }) => key)).size;
      const key = [request.runId, request.phase, ...(count === 0 ? [] : [count + 1])].join(':');
      const issuance = issuances.insert({ key, runId: request.runId, connectionId: row.id, recipeId, request });
      return { issuance, isNew: true };
    });
  }

  /** Records the credential, so that it is revoked after the Run whatever happens. */
  function record(issuance: IssuanceRow, credentialId: string): void {
    if (issuance.credentialId === credentialId) return;
    if (issuance.credentialId === null) issuances.update(issuance.seq, { credentialId });
    else {
      const { key, runId, connectionId, recipeId, request } = issuance;
      issuances.insert({ key, runId, connectionId, recipeId, request, credentialId });
    }
  }

  return async (row: ConnectionRow, run: MintingRun, call: Call): Promise<Minted> => {
    const { recipe } = row;
    const service = recipe && services.find(recipe.id);
    if (!recipe || !service) throw noService();
    const request = requestOf(row, run);
    const { issuance, isNew } = findOrInsert(row, recipe.id, request);
    failpoint('credentials.requested');
    const { key } = issuance;
    const issued = await issueCredential(service, { key, request }, { outgoing, ...host }, call).catch(
      (error: unknown) => {
        // An earlier request with the same key may have issued a credential.
        if (error instanceof IssueError && error.issued === 'nothing' && isNew) issuances.delete(issuance.seq);
        if (error instanceof IssueError && typeof error.issued === 'object') record(issuance, error.issued.id);
        throw error;
      },
    );
    failpoint('credentials.answered');
    db.write(() => record(issuance, issued.id));
    failpoint('credentials.recorded');
    return issued;
  };
}

/** `providerSettings` may name another audience and other scopes than the recipe. */
function requestOf({ recipe, scopeHints }: ConnectionRow, run: MintingRun): RunCredentialRequest {
  const { context = 'capsule-run.v1', audience = '', scopes = [] } = recipe?.mode.runIssuance ?? {};
  const { audience: ownAudience, scopes: ownScopes } = scopeHints?.providerSettings ?? {};
  const { workspaceId, capsuleId, phase } = run;
  return {
    kind: requestKind,
    context,
    workspaceId,
    capsuleId,
    runId: run.id,
    phase,
    audience: typeof ownAudience === 'string' ? ownAudience : audience,
    scopes: Array.isArray(ownScopes) ? ownScopes.map(String) : scopes,
  };
}
