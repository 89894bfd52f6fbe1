import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '#shared/kernel/endpoint';
import { AppError } from '../errors.ts';
import { isLoopbackHost, type Settings } from '../settings.ts';

/** Addresses at which a server listens; set once it does. */
export type Bound = {
  /** `{base_url}`: origin under which people reach the server. */
  baseUrl: string;
  port: number;
  /** Port of the operator's own listener, when there is one. */
  operatorPort: number | undefined;
};

type RawRequestHolder = Pick<FastifyRequest, 'raw'>;

/** Rules for the host names, listeners and peers that a server answers. */
export type Ingress = {
  /** Requires exactly one known `Host`. Throws 421 `misdirected_request`, or 400 for a request with none or two. */
  requireHost(request: RawRequestHolder, endpoint: Endpoint | undefined): void;
  /** Reports whether this route is hidden from the caller on the listener that received the request. */
  isHidden(request: RawRequestHolder, endpoint: Endpoint | undefined, token: string | undefined): boolean;
  /** Returns the only origin that may write with a cookie. */
  originOf(request: RawRequestHolder): string;
};

/** Requests that the operator's listener received. */
const forOperator = new WeakSet<IncomingMessage>();
export const markForOperator = (request: IncomingMessage): void => void forOperator.add(request);

type Facts = {
  settings: Pick<Settings, 'isLocal' | 'publicUrl' | 'tls' | 'operatorPort'>;
  bound: Bound;
  isOperator: (token: string) => boolean;
};

const loopbackNames = ['127.0.0.1', '[::1]', 'localhost'];

export function createIngress({ settings, bound, isOperator }: Facts): Ingress {
  const { isLocal, publicUrl, tls } = settings;
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host;
  const scheme = tls ? 'https' : 'http';
  const usualPort = tls ? 443 : 80;
  /** Compares as text, because another spelling of the same port is another host. Clients omit the default port. */
  const isLoopbackName = (host: string, port: number | undefined, usual = usualPort) =>
    loopbackNames.some((name) => host === `${name}:${port}` || (port === usual && host === name));
  /** Reports whether the peer is on this machine and not a proxy that forwards a request. */
  const isHere = ({ raw }: RawRequestHolder) =>
    isLoopbackHost((raw.socket.remoteAddress ?? '').replace(/^::ffff:/, '')) &&
    (isLocal || raw.headers['x-forwarded-for'] === undefined);
  const isForOperator = (endpoint: Endpoint | undefined) => endpoint?.class === 'Op' || endpoint?.anyHost === true;

  function allowsHost(request: RawRequestHolder, endpoint: Endpoint | undefined): boolean {
    const host = request.raw.headers.host ?? '';
    if (forOperator.has(request.raw)) return isLoopbackName(host, bound.operatorPort, 80);
    if (host === (publicHost ?? new URL(bound.baseUrl).host)) return true;
    return isLoopbackName(host, bound.port) && (isLocal || (isForOperator(endpoint) && isHere(request)));
  }

  return {
    requireHost(request, endpoint) {
      const { rawHeaders, url } = request.raw;
      const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
      if (hosts.length !== 1 || !url?.startsWith('/'))
        throw new AppError('invalid_request', 'The request cannot be read.', { headers: { connection: 'close' } });
      if ((endpoint?.anyHost && isHere(request)) || allowsHost(request, endpoint)) return;
      throw new AppError(
        'misdirected_request',
        'This server does not answer under that host name. Use the address it printed at its start.',
      );
    },
    isHidden(request, endpoint, token) {
      if (forOperator.has(request.raw)) return !isForOperator(endpoint);
      if (endpoint?.class === 'Op') return bound.operatorPort !== undefined;
      const isProbe = endpoint?.anyHost === true;
      return isProbe && !isLocal && !isHere(request) && !(token !== undefined && isOperator(token));
    },
    originOf(request) {
      const host = request.raw.headers.host ?? '';
      if (!isLocal || forOperator.has(request.raw)) return bound.baseUrl;
      return host === publicHost && publicUrl ? publicUrl : `${scheme}://${host}`;
    },
  };
}
