import { z } from 'zod';
import { RunnerCapability, ToolInstall } from '../execution/tool.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { Count } from '../kernel/scalars.ts';

const url = z.string();

const discovery = {
  product: z.string(),
  name: z.string(),
  auth: z.strictObject({ oidc: z.boolean(), password: z.boolean() }),
  apiBaseUrl: url,
  api_versions: z.array(z.string()),
  features: z.strictObject({
    stacks: z.boolean(),
    opentofu_runner: z.boolean(),
    oidc: z.boolean(),
    workload_identity: z.boolean(),
    interfaces: z.boolean(),
  }),
  endpoints: z.strictObject({
    api: url,
    capabilities: url,
    openapi: url,
    oidc_issuer: url,
    extensions: z.record(z.string(), url).optional(),
  }),
  oidcClientId: z.string().optional(),
};

export const Discovery = z.strictObject(discovery);
export type Discovery = z.infer<typeof Discovery>;

export const Capabilities = z.strictObject({
  ...discovery,
  serverVersion: z.string(),
  authentication: z.strictObject({ session: z.boolean(), pat: z.boolean(), oauth: z.boolean(), operator: z.boolean() }),
  signIn: z.strictObject({
    password: z.boolean(),
    setupRequired: z.boolean(),
    providers: z.array(z.strictObject({ id: z.string(), label: z.string(), protocol: z.string() })),
  }),
  runner: RunnerCapability,
  git: z.strictObject({ https: z.boolean(), loopbackHttp: z.boolean(), file: z.boolean(), ssh: z.boolean() }),
  formHost: z.boolean(),
  releaseActivator: z.boolean(),
  oauthHelpers: z.array(z.string()),
  manifest: z.strictObject({ apiVersions: z.array(z.string()), runtimeBindings: z.boolean() }),
  limits: z.record(z.string(), Count),
});
export type Capabilities = z.infer<typeof Capabilities>;

const readiness = z.strictObject({
  ok: z.boolean(),
  checks: z.array(z.strictObject({ name: z.string(), ok: z.boolean(), note: z.string().optional() })),
});

export const discoveryApi = defineApi({
  getDiscovery: {
    method: 'GET',
    base: '',
    path: '/.well-known/svc',
    summary: 'Discovery document',
    class: 'X',
    whileSealed: true,
    cache: 'public',
    replies: { 200: Discovery },
  },
  getCapabilities: {
    method: 'GET',
    path: '/capabilities',
    summary: 'What this server can do',
    class: 'X',
    whileSealed: true,
    replies: { 200: Capabilities },
  },
  getOpenapi: {
    method: 'GET',
    base: '',
    path: '/openapi.json',
    summary: 'This description of the API (OpenAPI 3.1)',
    class: 'X',
    whileSealed: true,
    cache: 'public',
    replies: { 200: z.looseObject({ openapi: z.literal('3.1.0') }) },
  },
  getManifestSchema: {
    method: 'GET',
    base: '',
    path: '/.well-known/svc/manifest/:version',
    summary: 'Structural JSON Schema of a version of the repository manifest',
    class: 'X',
    whileSealed: true,
    cache: 'public',
    params: z.strictObject({ version: z.string() }),
    replies: { 200: z.looseObject({ $schema: z.string(), type: z.literal('object') }) },
  },
  getHealth: {
    method: 'GET',
    base: '',
    path: '/healthz',
    summary: 'Is the process alive',
    class: 'X',
    anyHost: true,
    whileSealed: true,
    replies: { 200: z.strictObject({ ok: z.literal(true), version: z.string() }) },
  },
  getReadiness: {
    method: 'GET',
    base: '',
    path: '/readyz',
    summary: 'Is every part of the server able to work',
    class: 'X',
    anyHost: true,
    whileSealed: true,
    replies: { 200: readiness, 503: readiness },
  },
  installTool: {
    method: 'POST',
    path: '/runner/tool-installs',
    summary: 'Install the pinned OpenTofu into the data folder',
    class: 'A',
    localOwner: true,
    replies: { 202: z.strictObject({ toolInstall: ToolInstall }) },
  },
  getToolInstall: {
    method: 'GET',
    path: '/runner/tool-installs/:toolInstallId',
    summary: 'Progress of a tool installation',
    class: 'A',
    localOwner: true,
    params: z.strictObject({ toolInstallId: z.string() }),
    replies: { 200: z.strictObject({ toolInstall: ToolInstall }) },
  },
});
