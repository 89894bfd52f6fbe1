import http from 'node:http';
import type { AddressInfo } from 'node:net';

type TokenCall = { form: Record<string, string>; authorization: string | undefined };
type Answer = (response: http.ServerResponse, call: TokenCall) => void;

/** A token endpoint (RFC 6749) on the loopback address. */
export type TokenEndpoint = {
  readonly url: string;
  readonly calls: readonly TokenCall[];
  /** Refresh token that it accepts; every use replaces it. */
  refreshToken: string;
  /** Members of the next answers, besides the usual ones. */
  answerMembers: Record<string, unknown>;
  /** Replaces the answer; undefined restores the usual one. */
  answer: Answer | undefined;
  close(): Promise<void>;
};

export const accessCanary = (turn: number): string => `canary-access-${turn}-0be4f1`;
const json = (response: http.ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

export async function startTokenEndpoint(): Promise<TokenEndpoint> {
  const calls: TokenCall[] = [];
  const issue: Answer = (response, { form }) => {
    const isRefresh = form['grant_type'] === 'refresh_token';
    if (isRefresh && form['refresh_token'] !== endpoint.refreshToken)
      return json(response, 400, { error: 'invalid_grant', error_description: form['refresh_token'] });
    if (isRefresh) endpoint.refreshToken = `canary-refresh-${calls.length}-77c2d9`;
    const rotated = isRefresh ? { refresh_token: endpoint.refreshToken } : {};
    const usual = { access_token: accessCanary(calls.length), token_type: 'bearer', expires_in: 3_600, ...rotated };
    return json(response, 200, { ...usual, ...endpoint.answerMembers });
  };
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()));
    const call = { form, authorization: request.headers.authorization };
    calls.push(call);
    (endpoint.answer ?? issue)(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint: TokenEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    calls,
    refreshToken: 'canary-refresh-first-77c2d9',
    answerMembers: {},
    answer: undefined,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return endpoint;
}
