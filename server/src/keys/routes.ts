import { AppError } from '#server/kernel/errors';
import { accepted, actorOf, type Caller, type Mount, ok } from '#server/kernel/http/index';
import { Secret } from '#server/kernel/secret';
import { keysApi } from '#shared/keys/api';
import type { KeysService } from './service.ts';

type Parts = { keys: KeysService; isLocalOwner: (subject: string) => boolean };

export function keysRoutes(mount: Mount, { keys, isLocalOwner }: Parts): void {
  const secretOf = (text: string | undefined) => (text === undefined ? undefined : new Secret(text));
  /** 403 `forbidden` for every other account: the key is the installation's and no Workspace's. */
  const requireOwner = ({ principal }: Caller) => {
    if (principal.kind === 'session' && isLocalOwner(principal.subject)) return;
    throw new AppError('forbidden', 'Only the owner of this installation may see or change where its key is kept.');
  };

  mount(keysApi, {
    getVault: ({ caller }) => {
      requireOwner(caller);
      return ok({ vault: keys.status() });
    },
    rotateKeys: ({ caller }) => {
      requireOwner(caller);
      keys.rotate(actorOf(caller));
      return accepted({ vault: keys.status() });
    },
    changeKey: async ({ body, caller }) => {
      requireOwner(caller);
      await keys.changeKey(body.source, secretOf(body.passphrase), actorOf(caller));
      return ok({ vault: keys.status() });
    },
    getVaultAsOperator: () => ok({ vault: keys.status() }),
    unsealVault: async ({ body, caller }) =>
      ok({ sealed: await keys.unseal(secretOf(body.passphrase), actorOf(caller)) }),
  });
}
