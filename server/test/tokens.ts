import type { TestServer } from './harness.ts';

type TokenInput = { subject?: string; scopes: string[]; workspace_id?: string; expires_at?: string };

/** A personal access token, created by the operator: with any scope, and without a rate limit. */
export async function makeToken(server: TestServer, input: TokenInput): Promise<{ token: string; id: string }> {
  const body = { subject: server.subject, name: 'for a test', ...input };
  const { token, token_record } = (await server.as(server.operatorToken).issueTokenAsOperator({ body })).body;
  return { token, id: token_record.id };
}
