import { manifestLimits as most } from '#shared/limits';
import type { ManifestVersion } from '#shared/manifest/versions';
import { manifestApiVersion } from '#shared/vendor';
import { boolean, choice, enumOf, type Held, integer, json, list, map, object, type Shape, set } from './shape.ts';
import * as texts from './texts.ts';

const permissions = set(texts.permission, 1, most.permissions);
const delivery = object({ type: texts.token128 });

const input = object(
  {
    name: texts.variableName,
    source: object({ kind: enumOf('user', 'capsule_name', 'workspace_scoped_capsule_name', 'module_default') }),
    label: texts.label,
  },
  {
    role: enumOf('service_name', 'initial_secret'),
    type: enumOf('string', 'number', 'boolean', 'json'),
    format: texts.format,
    required: boolean,
    helper: texts.helper,
    placeholder: texts.placeholder,
    advanced: boolean,
    secret: boolean,
  },
);

/**
 * Returns an object with at least one of some slots, each with the name of a variable or of a runtime binding (both
 * have the same spelling).
 */
const slots = (...names: readonly string[]) =>
  object({}, Object.fromEntries(names.map((name) => [name, texts.variableName])), { min: 1, max: names.length });
const deliver = (variables: readonly string[], bindings = variables) =>
  object({}, { variables: slots(...variables), bindings: slots(...bindings) }, { min: 1, max: 1 });

/** Values that `identity.oidc` delivers to variables, in every version. */
export const oidcSlots = ['issuerUrl', 'accountsUrl', 'clientId', 'redirectUri'] as const;
const runtimeOidcSlots = ['issuerUrl', 'clientId', 'ownerSubject', 'redirectUri'];

const consume = object({
  kind: enumOf('interface.consume'),
  key: texts.token128,
  interface: object({ type: texts.token128, version: texts.token128 }),
  permissions,
  delivery,
});
const requirementKinds = (oidcBindings: readonly string[]) => ({
  'secret.generated': object(
    { kind: enumOf('secret.generated'), deliver: deliver(['value']) },
    { bytes: integer(most.secretBytes.min, most.secretBytes.max), encoding: enumOf('hex', 'base64url') },
  ),
  'http.endpoint': object({ kind: enumOf('http.endpoint'), deliver: deliver(['url', 'subdomain', 'routePattern']) }),
  'identity.oidc': object(
    { kind: enumOf('identity.oidc'), callbackPath: texts.callbackPath, deliver: deliver(oidcSlots, oidcBindings) },
    { scopes: set(texts.token128, 1, most.scopes) },
  ),
});
const requirement = choice('kind', requirementKinds(oidcSlots));
const consuming = choice('kind', { ...requirementKinds(oidcSlots), 'interface.consume': consume });
const runtimeBound = choice('kind', { ...requirementKinds(runtimeOidcSlots), 'interface.consume': consume });

const feature = object({
  id: texts.featureId,
  optional: boolean,
  label: texts.label,
  inputs: set(texts.variableName, 1, most.inputs),
});

const interfaceInput = choice('source', {
  literal: object({ source: enumOf('literal'), value: json }),
  output: object({
    source: enumOf('output'),
    outputName: texts.outputName,
    outputType: enumOf('string', 'url', 'hostname', 'number', 'boolean', 'json'),
  }),
});
const bindingRequest = object({
  key: texts.token128,
  subject: object({ source: enumOf('installing_principal') }),
  permissions,
  delivery,
});
const providedInterface = object(
  {
    key: texts.token128,
    name: texts.interfaceName,
    spec: object(
      {
        type: texts.token256,
        version: texts.token256,
        document: json,
        access: object({ visibility: enumOf('workspace') }, { resourceUriInput: texts.interfaceName }),
      },
      { inputs: map(texts.interfaceName, interfaceInput, { min: 0, max: most.interfaceInputs }) },
    ),
  },
  { bindingRequests: list(bindingRequest, 0, most.bindingRequests) },
);

const sourceBuild = object({
  commands: list(
    object({ argv: list(texts.argument, 1, most.argv) }, { workingDirectory: texts.folderPath }),
    1,
    most.buildCommands,
  ),
  outputs: list(texts.producedPath, 1, most.buildOutputs),
});

const inputs = { inputs: list(input, 0, most.inputs) };
const assistance = <T>(needed: Shape<T>) => ({
  requires: list(needed, 0, most.requires),
  features: list(feature, 0, most.features),
});
const interfaces = { interfaces: list(providedInterface, 0, most.interfaces) };

const moduleV1 = object(inputs, assistance(requirement));
const moduleV2 = object(inputs, { ...assistance(requirement), ...interfaces });
const moduleV22 = object(inputs, { ...assistance(consuming), ...interfaces });
const moduleV23 = object(inputs, { ...assistance(consuming), ...interfaces, sourceBuild });
const moduleV24 = object(inputs, { ...assistance(runtimeBound), ...interfaces, sourceBuild });

const modulesOf = <T>(module: Shape<T>) => ({ modules: map(texts.folderPath, module, { min: 1, max: most.modules }) });
const hint = { defaultModule: texts.folderPath };
const documentOf = <T>(version: ManifestVersion, install: Shape<T>) =>
  object({ apiVersion: enumOf(manifestApiVersion(version)), kind: enumOf('Repository'), install });

/** One closed schema per version. A version never changes: new features get a new version. */
export const manifestShapes = {
  v1: documentOf('v1', object(modulesOf(moduleV1))),
  v2: documentOf('v2', object(modulesOf(moduleV2))),
  'v2.1': documentOf('v2.1', object(modulesOf(moduleV2), hint)),
  'v2.2': documentOf('v2.2', object(modulesOf(moduleV22), hint)),
  'v2.3': documentOf('v2.3', object(modulesOf(moduleV23), hint)),
  'v2.4': documentOf('v2.4', object(modulesOf(moduleV24))),
} as const satisfies Record<ManifestVersion, Shape<unknown>>;

/** A module in the widest version: fields that narrower versions lack are absent. */
export type ManifestModule = Held<typeof moduleV24>;
export type ManifestInput = Held<typeof input>;
export type ManifestRequirement = Held<typeof runtimeBound>;
export type ManifestInterface = Held<typeof providedInterface>;
/** A document whose shape matches its version. */
export type ManifestDocument = {
  readonly apiVersion: string;
  readonly install: { readonly modules: Readonly<Record<string, ManifestModule>>; readonly defaultModule?: string };
};
