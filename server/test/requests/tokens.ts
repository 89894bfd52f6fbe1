import type { TestServer } from '../harness.ts';

/** Personal access tokens. */
export async function requestTokens(server: TestServer): Promise<void> {
  const { api } = server;
  const operator = server.as(server.operatorToken);
  const input = { name: 'n', scopes: ['read'] };
  await operator.issueTokenAsOperator({ body: { subject: server.subject, ...input } });
  const { token, token_record } = (await api.createToken({ body: input })).body as { token: string } & {
    token_record: { id: string };
  };
  await api.listTokens({});
  await api.listTokenScopes({});
  await api.getTokenInventory({});
  await server.as(token).getTokenAuthority({});
  await api.revokeToken({ params: { tokenId: token_record.id } });
}
