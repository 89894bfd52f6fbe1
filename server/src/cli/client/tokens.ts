import type { BodyInputOf } from '#shared/kernel/endpoint';
import type { tokensApi } from '#shared/tokens/api';
import type { TokenRecord } from '#shared/tokens/contract';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import { atServer, type Work } from './command.ts';
import { readAll } from './pages.ts';
import { findWorkspace } from './server.ts';
import { tableText } from './text.ts';

const dayMs = 86_400_000;

/** Creates a token and prints it once. The operator creates it when the data folder of the server is accessible. */
export const runTokenCreate = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, terminal, options, args } = work;
  const input = {
    name: args[0] ?? '',
    scopes: options.scope ?? ['read'],
    ...(options.workspace !== undefined && { workspace_id: (await findWorkspace(server, options.workspace)).id }),
    ...(options.days !== undefined && { expires_at: endOf(options.days) }),
  };
  const issued = await issue(work, input);
  if (terminal.isJson) terminal.document(issued);
  else if (issued.token !== undefined) terminal.say(issued.token);
  return exitCodes.done;
});

async function issue(
  { server }: Work,
  input: BodyInputOf<typeof tokensApi.createToken>,
): Promise<{ token?: string; token_record: TokenRecord }> {
  if (!server.operator) return (await server.api.createToken({ body: input })).body;
  const { body } = await server.api.getSession({});
  const subject = 'subject' in body ? body.subject : '';
  return (await server.operator.issueTokenAsOperator({ body: { subject, ...input } })).body;
}

function endOf(days: string): string {
  if (!/^[1-9][0-9]{0,3}$/.test(days)) throw wrongUse('--days takes a whole number of days, at most 9999.');
  return new Date(Date.now() + Number(days) * dayMs).toISOString();
}

/** Lists the tokens of the account, without their secrets. */
export const runTokenList = atServer({ whenUnread: 'stops' }, async ({ server, terminal }) => {
  const tokens = await readAll(async (page) => {
    const { body } = await server.api.listTokens({ query: page });
    return { rows: body.tokens, nextCursor: body.next_cursor ?? undefined };
  });
  if (terminal.isJson) terminal.document({ tokens });
  else if (tokens.length === 0) terminal.say('You have no tokens. Make one with: groundctl token create NAME');
  else for (const line of linesOf(tokens, terminal.paint)) terminal.say(line);
  return exitCodes.done;
});

const linesOf = (tokens: readonly TokenRecord[], paint: Work['terminal']['paint']): string[] =>
  tableText(
    ['TOKEN', 'NAME', 'PREFIX', 'SCOPES', 'WORKSPACE', 'ENDS', 'LAST USED'],
    tokens.map((one) => [
      one.id,
      one.name,
      one.prefix,
      one.scopes.join(','),
      one.workspace_id ?? 'all',
      one.revoked_at === undefined ? (one.expires_at ?? 'never') : 'revoked',
      one.last_used_at ?? 'never',
    ]),
    paint,
  );

/** Revokes a token at once. A repeated call gives the same result. */
export const runTokenRevoke = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, args }) => {
  const { token } = (await server.api.revokeToken({ params: { tokenId: args[0] ?? '' } })).body;
  if (terminal.isJson) terminal.document({ token });
  else terminal.say(`${token.name} is revoked.`);
  return exitCodes.done;
});
