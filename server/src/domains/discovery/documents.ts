import type { Capabilities, Discovery } from '#shared/discovery/api';
import type { RunnerCapability } from '#shared/execution/tool';
import { limits } from '#shared/limits';
import { manifestApiVersions } from '#shared/manifest/versions';
import {
  apiPrefix,
  apiVersion,
  formCompatibilityPath,
  formDiscoveryPath,
  formHostPath,
  formHostVersion,
  productName,
  vendor,
} from '#shared/vendor';

export type DocumentFacts = {
  origin: string;
  version: string;
  runner: RunnerCapability;
  git: { loopbackHttp: boolean; file: boolean };
  oauthHelpers: string[];
  signIn: Capabilities['signIn'];
  issuer: { isOn: boolean; mobileClientId?: string | undefined };
  releaseActivator: boolean;
  formHost: boolean;
};

export function discoveryOf({
  origin,
  runner,
  signIn,
  issuer,
  formHost,
}: Pick<DocumentFacts, 'origin' | 'runner' | 'signIn' | 'issuer' | 'formHost'>): Discovery {
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
      extensions: {
        interfaces: `${api}/interfaces`,
        ...(formHost && { formhost: `${origin}${formDiscoveryPath}` }),
      },
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
  formHost: facts.formHost,
  releaseActivator: facts.releaseActivator,
  oauthHelpers: facts.oauthHelpers,
  manifest: { apiVersions: [...manifestApiVersions], runtimeBindings: false },
  limits: { ...limits },
});

/** Returns the discovery document of the form host. */
export const formHostOf = ({ origin, issuer }: Pick<DocumentFacts, 'origin' | 'issuer'>) => ({
  api_versions: [formHostVersion] as (typeof formHostVersion)[],
  features: {
    service_forms: true as const,
    exact_form_ref: true as const,
    optimistic_concurrency: true as const,
    idempotent_lifecycle: true as const,
  },
  endpoints: {
    api: `${origin}${formHostPath}`,
    forms: `${origin}${formHostPath}/forms`,
    capabilities: `${origin}${formCompatibilityPath}/capabilities`,
    compatibility_api: `${origin}${formCompatibilityPath}`,
    ...(issuer.isOn && { oidc_issuer: origin }),
  },
});
