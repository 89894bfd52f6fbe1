import { bindingsApi } from '#shared/bindings/api';
import { capsulesApi } from '#shared/capsules/api';
import { configsApi } from '#shared/configs/api';
import { connectionsApi } from '#shared/connections/api';
import { coordinatorsApi } from '#shared/coordinators/api';
import { deploysApi } from '#shared/deploys/api';
import { discoveryApi } from '#shared/discovery/api';
import { identityApi } from '#shared/identity/api';
import { createClient, type Send } from '#shared/kernel/client';
import { operatorApi } from '#shared/operator/api';
import { runsApi } from '#shared/runs/api';
import { sourcesApi } from '#shared/sources/api';
import { statesApi } from '#shared/states/api';
import { tokensApi } from '#shared/tokens/api';
import { workspacesApi } from '#shared/workspaces/api';

/** The calls of the public API that commands make. */
export const connect = (send: Send) => ({
  ...createClient(discoveryApi, send),
  ...createClient(identityApi, send),
  ...createClient(workspacesApi, send),
  ...createClient(tokensApi, send),
  ...createClient(sourcesApi, send),
  ...createClient(configsApi, send),
  ...createClient(coordinatorsApi, send),
  ...createClient(runsApi, send),
  ...createClient(deploysApi, send),
  ...createClient(capsulesApi, send),
  ...createClient(statesApi, send),
  ...createClient(bindingsApi, send),
  ...createClient(connectionsApi, send),
  ...createClient(operatorApi, send),
});
export type Api = ReturnType<typeof connect>;
