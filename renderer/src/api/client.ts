import { activityApi } from '#shared/activity/api';
import { appliesApi } from '#shared/applies/api';
import { capsulesApi } from '#shared/capsules/api';
import { configurationPlansApi } from '#shared/configuration-plans/api';
import { connectionsApi } from '#shared/connections/api';
import { dependenciesApi } from '#shared/dependencies/api';
import { discoveryApi } from '#shared/discovery/api';
import { identityApi } from '#shared/identity/api';
import { installConfigsApi } from '#shared/install-configs/api';
import { installPlansApi } from '#shared/install-plans/api';
import { ApiError, createClient, type Send } from '#shared/kernel/client';
import { parseExactly, writeJson } from '#shared/kernel/exact-number';
import { keysApi } from '#shared/keys/api';
import { outputSharesApi } from '#shared/output-shares/api';
import { plansApi } from '#shared/plans/api';
import { providerBindingsApi } from '#shared/provider-bindings/api';
import { runGroupsApi } from '#shared/run-groups/api';
import { runsApi } from '#shared/runs/api';
import { signInApi } from '#shared/signin/api';
import { sourcesApi } from '#shared/sources/api';
import { stateVersionsApi } from '#shared/state-versions/api';
import { tokensApi } from '#shared/tokens/api';
import { usageApi } from '#shared/usage/api';
import { workspacesApi } from '#shared/workspaces/api';
import { membersApi } from '#shared/workspaces/members-api';

/** The server cannot be reached at all. */
export class OfflineError extends Error {}

const send: Send = async ({ method, path, body, headers }) => {
  const answer = await fetch(path, {
    method,
    credentials: 'same-origin',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: writeJson(body) }),
  }).catch(() => {
    throw new OfflineError();
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : parseExactly(text) };
};

/** Every route that the dashboard calls. */
export const endpoints = {
  ...discoveryApi,
  ...identityApi,
  ...workspacesApi,
  ...tokensApi,
  ...membersApi,
  ...signInApi,
  ...activityApi,
  ...sourcesApi,
  ...installPlansApi,
  ...configurationPlansApi,
  ...runsApi,
  ...plansApi,
  ...appliesApi,
  ...runGroupsApi,
  ...usageApi,
  ...capsulesApi,
  ...installConfigsApi,
  ...providerBindingsApi,
  ...stateVersionsApi,
  ...outputSharesApi,
  ...dependenciesApi,
  ...connectionsApi,
  ...keysApi,
};
export type EndpointName = keyof typeof endpoints;

/**
 * The API client of the dashboard, built from the endpoint tables. The session cookie of this origin authenticates its
 * calls.
 */
export const api = createClient(endpoints, send);

/** Returns a new idempotency key for one intent of the user: a second click with the same key has no second effect. */
export const newKey = (): Record<'idempotency-key', string> => ({ 'idempotency-key': crypto.randomUUID() });

export { ApiError };
