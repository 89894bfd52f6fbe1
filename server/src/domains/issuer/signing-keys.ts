import { generateKeyPairSync } from 'node:crypto';
import type { SigningKey } from '#server/drivers/issuer/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Clock } from '#server/kernel/clock';
import { canonicalJson, sha256 } from '#server/kernel/digest';
import { oidcLifetimes } from '#shared/issuer/contract';
import type { KeyRow, OidcStore } from './store.ts';

type Deps = { clock: Clock; vault: Pick<Vault, 'seal' | 'open'>; store: OidcStore };
export type SigningKeys = ReturnType<typeof createSigningKeys>;

const contextOf = (kid: string) => ({ table: 'oidc_keys', row: kid, column: 'secret', workspaceId: '' });

const isInUse = ({ replacedAt }: KeyRow): boolean => replacedAt === null;

/** Thumbprint of a public key (RFC 7638, 3). */
const thumbprintOf = ({ x, y }: Pick<SigningKey, 'x' | 'y'>): string =>
  sha256(canonicalJson({ crv: 'P-256', kty: 'EC', x, y })).toString('base64url');

/** The keys that sign ID tokens. */
export function createSigningKeys({ clock, vault, store }: Deps) {
  const listKeys = (): KeyRow[] => store.listKeys(clock.now() - oidcLifetimes.replacedKey * 1_000);

  function create(): KeyRow {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '', d = '' } = privateKey.export({ format: 'jwk' });
    const kid = thumbprintOf({ x, y });
    const secret = vault.seal(contextOf(kid), Buffer.from(d));
    const row: KeyRow = { kid, x, y, secret, createdAt: clock.now(), replacedAt: null };
    store.insertKey(row);
    return row;
  }

  const open = ({ kid, x, y, secret }: KeyRow): SigningKey => ({
    kid,
    kty: 'EC',
    crv: 'P-256',
    x,
    y,
    d: vault.open(contextOf(kid), secret).toString(),
  });

  return {
    /** Returns the keys, newest first; the first call creates one. */
    open: (): SigningKey[] => {
      const keys = listKeys();
      return (keys.some(isInUse) ? keys : [create(), ...keys]).map(open);
    },
    /** Replaces the key in use; the previous one stays listed for a day. Returns the thumbprint of the new one. */
    rotate(): string {
      store.replaceKeys(clock.now());
      return create().kid;
    },
    /** Reports whether there is a key in use. */
    isReady: (): boolean => listKeys().some(isInUse),
    listPublic: () =>
      listKeys().map(({ kid, x, y }) => ({
        kty: 'EC' as const,
        crv: 'P-256' as const,
        x,
        y,
        kid,
        use: 'sig' as const,
        alg: 'ES256' as const,
      })),
  };
}
