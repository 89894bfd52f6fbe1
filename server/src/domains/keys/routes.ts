import { accepted, actorOf, type Caller, created, type Mount, ok } from '#server/kernel/http/index';
import { Secret } from '#server/kernel/secret';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { keysApi } from '#shared/keys/api';
import type { KeysService } from './service.ts';

export function keysRoutes(mount: Mount, keys: KeysService): void {
  const secretOf = (text: string | undefined) => (text === undefined ? undefined : new Secret(text));
  const createKit = async ({ body, caller }: { body: BodyOf<typeof keysApi.createRecoveryKit>; caller: Caller }) =>
    created(await keys.createRecoveryKit(body, actorOf(caller)));
  mount(keysApi, {
    getVault: () => ok({ vault: keys.status() }),
    rotateKeys: ({ caller }) => {
      keys.rotate(actorOf(caller));
      return accepted({ vault: keys.status() });
    },
    changeKey: async ({ body: { source, passphrase, ...rest }, caller }) => {
      nothingLeft(rest);
      await keys.changeKey(source, secretOf(passphrase), actorOf(caller));
      return ok({ vault: keys.status() });
    },
    getRecoveryKit: () => ok({ recoveryKit: keys.recoveryKit() }),
    createRecoveryKit: createKit,
    dismissRecoveryKit: ({ caller }) => ok({ recoveryKit: keys.dismissRecoveryKit(actorOf(caller)) }),
    getRecoveryKitAsOperator: () => ok({ recoveryKit: keys.recoveryKit() }),
    createRecoveryKitAsOperator: createKit,
    getVaultAsOperator: () => ok({ vault: keys.status() }),
    unsealVault: async ({ body: { passphrase, ...rest }, caller }) => {
      nothingLeft(rest);
      return ok({ sealed: await keys.unseal(secretOf(passphrase), actorOf(caller)) });
    },
  });
}
