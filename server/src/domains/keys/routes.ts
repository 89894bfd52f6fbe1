import { accepted, actorOf, type Mount, ok } from '#server/kernel/http/index';
import { Secret } from '#server/kernel/secret';
import { keysApi } from '#shared/keys/api';
import type { KeysService } from './service.ts';

export function keysRoutes(mount: Mount, keys: KeysService): void {
  const secretOf = (text: string | undefined) => (text === undefined ? undefined : new Secret(text));
  mount(keysApi, {
    getVault: () => ok({ vault: keys.status() }),
    rotateKeys: ({ caller }) => {
      keys.rotate(actorOf(caller));
      return accepted({ vault: keys.status() });
    },
    changeKey: async ({ body, caller }) => {
      await keys.changeKey(body.source, secretOf(body.passphrase), actorOf(caller));
      return ok({ vault: keys.status() });
    },
    getVaultAsOperator: () => ok({ vault: keys.status() }),
    unsealVault: async ({ body, caller }) =>
      ok({ sealed: await keys.unseal(secretOf(body.passphrase), actorOf(caller)) }),
  });
}
