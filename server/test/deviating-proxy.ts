import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request on its way to the host; a deviation may change it. */
export type ProxyCall = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
  text: string;
};
export type ProxyReply = { status: number; headers: http.OutgoingHttpHeaders; text: string };

/** Answers a call instead of the host; `forward` sends a call to it. */
export type Alteration = (call: ProxyCall, forward: (call: ProxyCall) => Promise<ProxyReply>) => Promise<ProxyReply>;

type ProxyOptions = {
  /** Origin of the host behind the proxy. */
  target: string;
  ca?: string;
  alter: Alteration;
};

/** A proxy on this machine that changes what a form host answers. It writes its own origin where the host writes its one. */
export async function startDeviatingProxy({ target, ca, alter }: ProxyOptions) {
  const { Agent } = target.startsWith('https:') ? https : http;
  const agent = new Agent({ keepAlive: true, ...(ca !== undefined && { ca }) });
  let origin = '';
  const forward = async (call: ProxyCall) => {
    const reply = await send(target, agent, call);
    return { ...reply, text: reply.text.replaceAll(target, origin) };
  };
  const server = http.createServer(async (request, response) => {
    const text = (await request.toArray()).join('');
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    const headers = request.headers as ProxyCall['headers'];
    const call = { method: request.method ?? '', path: pathname, query: searchParams, headers, text };
    const reply = await alter(call, forward);
    response.writeHead(reply.status, reply.headers);
    response.end(reply.text === '' ? undefined : reply.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Headers that belong to one connection, or that the proxy writes itself. */
const ownHeaders = new Set(['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding']);
const passed = (headers: http.IncomingHttpHeaders): http.OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== undefined && !ownHeaders.has(name)));

function send(target: string, agent: http.Agent, { method, path, query, headers, text }: ProxyCall) {
  const { request: open } = target.startsWith('https:') ? https : http;
  const search = query.size > 0 ? `?${query}` : '';
  const length = text === '' ? {} : { 'content-length': Buffer.byteLength(text) };
  return new Promise<ProxyReply>((resolve, reject) => {
    const options = { method, agent, headers: { ...passed(headers), ...length } };
    const outgoing = open(`${target}${path}${search}`, options, async (answer) => {
      const body = (await answer.toArray()).join('');
      resolve({ status: answer.statusCode ?? 0, headers: passed(answer.headers), text: body });
    });
    outgoing.on('error', reject);
    outgoing.end(text === '' ? undefined : text);
  });
}
