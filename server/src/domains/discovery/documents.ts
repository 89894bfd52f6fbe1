import type { Capabilities, Discovery } from '#shared/discovery/api';
import type { RunnerCapability } from '#shared/execution/tool';
import { limits } from '#shared/limits';
import { manifestApiVersions } from '#shared/manifest/versions';
import { apiPrefix, apiVersion, productName, vendor } from '#shared/vendor';

export type DocumentFacts = {
  origin: string;
  version: string;
  runner: RunnerCapability;
  git: { loopbackHttp: boolean; file: boolean };
  oauthHelpers: string[];
  signIn: Capabilities['signIn'];
  issuer: { isOn: boolean; mobileClientId?: string | undefined };
  releaseActivator: boolean;
};

export function discoveryOf({
  origin,
  runner,
  signIn,
  issuer,
}: Pick<DocumentFacts, 'origin' | 'runner' | 'signIn' | 'issuer'>): Discovery {
  const api = `${origin}${apiPrefix}`;
  return {
    product: vendor,
    name: productName,
    auth: { oidc: issuer.isOn, password: signIn.password },
    apiBaseUrl: api,
    api_versions: [apiVersion],
    features: {
      stacks: true,
      opentofu_runner: runner.available,
      oidc: issuer.isOn,
      workload_identity: false,
      interfaces: true,
    },
    endpoints: {
      api,
      capabilities: `${api}/capabilities`,
      openapi: `${origin}/openapi.json`,
      oidc_issuer: origin,
      extensions: { interfaces: `${api}/interfaces` },
    },
    ...(issuer.mobileClientId !== undefined && { oidcClientId: issuer.mobileClientId }),
  };
}

export const capabilitiesOf = (facts: DocumentFacts): Capabilities => ({
  ...discoveryOf(facts),
  serverVersion: facts.version,
  authentication: { session: true, pat: true, oauth: facts.issuer.isOn, operator: true },
  signIn: facts.signIn,
  runner: facts.runner,
  git: { https: true, ...facts.git, ssh: false },
  formHost: false,
  releaseActivator: facts.releaseActivator,
  oauthHelpers: facts.oauthHelpers,
  manifest: { apiVersions: [...manifestApiVersions], runtimeBindings: false },
  limits: { ...limits },
});
