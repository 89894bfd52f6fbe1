import { AppError } from '#server/kernel/errors';
import { actorOf, created, type Mount, ok } from '#server/kernel/http/index';
import { tokensApi } from '#shared/tokens/api';
import { scopeCatalog } from '#shared/tokens/contract';
import type { TokensService } from './service.ts';

export const tokensRoutes = (mount: Mount, tokens: TokensService): void =>
  mount(tokensApi, {
    listTokens: ({ query, caller }) => ok(tokens.list(actorOf(caller), query)),
    listTokenScopes: () => ok(scopeCatalog),
    createToken:
      ({ body, caller }) =>
      () =>
        created(tokens.issueOwn(actorOf(caller), body)),
    revokeToken:
      ({ params, caller }) =>
      () =>
        ok({ token: tokens.revoke(params.tokenId, actorOf(caller)) }),
    getTokenInventory: ({ query, caller }) => ok(tokens.inventory(actorOf(caller), query)),
    getTokenAuthority: ({ caller: { principal } }) => {
      if (principal.kind !== 'pat')
        throw new AppError('invalid_token', 'This route requires a personal access token as bearer token.');
      return ok(tokens.authority(principal));
    },
    issueTokenAsOperator:
      ({ body }) =>
      () =>
        created(tokens.issueByOperator(body)),
  });
