import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '#shared/kernel/endpoint';
import { callsPerAccount, type RateName, type RateRule, rateLimits } from '#shared/limits';
import type { Clock } from '../clock.ts';
import { createRateLimit, type RateLimit } from '../rate-limit.ts';
import type { Principal } from './caller.ts';
import { addressKey } from './client-address.ts';

export type Rates = {
  /** Counts a call before the caller is known: by address, and by the named Source. Throws 429 `rate_limited`. */
  takeUnknown(endpoint: Endpoint, request: FastifyRequest): void;
  /** Counts a call by account after authentication, except for the operator. Throws 429 `rate_limited`. */
  takeAccount(endpoint: Endpoint, principal: Principal): void;
};

type Deps = {
  clock: Clock;
  /** Returns the client address of a request. */
  addressOf: (request: FastifyRequest) => string;
  /** True when every call of an account is counted: on each server that other machines can reach. */
  countsAll: boolean;
};

/** Creates the rate limits of all routes, counted in memory. */
export function createRates({ clock, addressOf, countsAll }: Deps): Rates {
  const limits = new Map<string, RateLimit>();
  const limitOf = (name: RateName | 'all', perMinute: number): RateLimit => {
    const limit = limits.get(name) ?? createRateLimit({ clock, perMinute });
    limits.set(name, limit);
    return limit;
  };
  const ruleOf = ({ rate }: Endpoint): RateRule => (rate === undefined ? {} : rateLimits[rate]);
  return {
    takeUnknown(endpoint, request) {
      const { rate } = endpoint;
      const { perAddress, perSource } = ruleOf(endpoint);
      if (rate === undefined) return;
      if (perAddress !== undefined) limitOf(rate, perAddress).take(addressKey(addressOf(request)));
      const { sourceId = '' } = (request.params ?? {}) as { sourceId?: string };
      if (perSource !== undefined) limitOf(rate, perSource).take(sourceId.slice(0, 64));
    },
    takeAccount(endpoint, principal) {
      if (!('subject' in principal)) return;
      const { perAccount } = ruleOf(endpoint);
      if (countsAll) limitOf('all', callsPerAccount).take(principal.subject);
      if (endpoint.rate !== undefined && perAccount !== undefined)
        limitOf(endpoint.rate, perAccount).take(principal.subject);
    },
  };
}
