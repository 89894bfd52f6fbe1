import { appliesApi } from '#shared/applies/api';
import { capsulesApi } from '#shared/capsules/api';
import { connectionsApi } from '#shared/connections/api';
import { discoveryApi } from '#shared/discovery/api';
import { identityApi } from '#shared/identity/api';
import { installConfigsApi } from '#shared/install-configs/api';
import { installPlansApi } from '#shared/install-plans/api';
import { createClient, type Send } from '#shared/kernel/client';
import { operatorApi } from '#shared/operator/api';
import { plansApi } from '#shared/plans/api';
import { providerBindingsApi } from '#shared/provider-bindings/api';
import { runsApi } from '#shared/runs/api';
import { sourcesApi } from '#shared/sources/api';
import { stateVersionsApi } from '#shared/state-versions/api';
import { tokensApi } from '#shared/tokens/api';
import { workspacesApi } from '#shared/workspaces/api';

/** Creates the API calls that commands make. */
export const connect = (send: Send) => ({
  ...createClient(discoveryApi, send),
  ...createClient(identityApi, send),
  ...createClient(workspacesApi, send),
  ...createClient(tokensApi, send),
  ...createClient(sourcesApi, send),
  ...createClient(installConfigsApi, send),
  ...createClient(installPlansApi, send),
  ...createClient(runsApi, send),
  ...createClient(plansApi, send),
  ...createClient(appliesApi, send),
  ...createClient(capsulesApi, send),
  ...createClient(stateVersionsApi, send),
  ...createClient(providerBindingsApi, send),
  ...createClient(connectionsApi, send),
  ...createClient(operatorApi, send),
});
export type Api = ReturnType<typeof connect>;
