import type { OutputAllowlist } from '#shared/install-configs/contract';
import type { InstallParts } from '#shared/install-configs/parts';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import type { Json } from '#shared/kernel/json';
import type { OutputDeclaration } from '#shared/sources/module-scan';
import { findBindingFault, type ManifestPolicy } from './compile-policy.ts';
import { named, Refusal } from './refusal.ts';
import type { ManifestInterface, ManifestModule } from './versions.ts';

type InterfacesInput = {
  module: ManifestModule;
  outputs: readonly OutputDeclaration[];
  policies: readonly ManifestPolicy[];
  base: InstallParts;
  /** True when every Output that is not sensitive is public, so a list adds nothing. */
  allOutputs: boolean;
};
type Allowed = OutputAllowlist[string];

/** Compiles the Interfaces of the module, and the Outputs that they make public. */
export function compileInterfaces(
  input: InterfacesInput,
): Pick<InstallParts, 'interfaceBlueprints' | 'outputAllowlist'> {
  const { interfaces = [] } = input.module;
  const blueprints = interfaces.map((one) => blueprintOf(one, input.policies));
  const requestedOutputs = new Map(interfaces.flatMap((one) => outputsOf(one, input.outputs)));
  for (const [name, allowed] of requestedOutputs) requireFreeOutput(name, allowed, input);
  for (const blueprint of blueprints) requireFreeBlueprint(blueprint, input.base.interfaceBlueprints ?? []);
  const merged = mergeByKey(input.base.interfaceBlueprints ?? [], blueprints);
  const outputAllowlist = { ...input.base.outputAllowlist, ...Object.fromEntries(requestedOutputs) };
  return {
    ...(merged.length > 0 && { interfaceBlueprints: merged }),
    ...(Object.keys(outputAllowlist).length > 0 && { outputAllowlist }),
  };
}

function outputsOf({ spec }: ManifestInterface, outputs: readonly OutputDeclaration[]): [string, Allowed][] {
  return Object.values(spec.inputs ?? {}).flatMap((input): [string, Allowed][] => {
    if (input.source !== 'output') return [];
    const { outputName, outputType } = input;
    requirePublic(outputName, outputs);
    return [[outputName, { from: outputName, type: outputType }]];
  });
}

/** Throws unless the Output can be public. A mark that only the tool could evaluate proves nothing. */
function requirePublic(name: string, outputs: readonly OutputDeclaration[]): void {
  const output = outputs.find((one) => one.name === name);
  const noun = named('Output', name);
  if (!output) throw new Refusal('interface_output_missing', `The module has no ${noun}.`);
  if (output.sensitive !== false)
    throw new Refusal('interface_output_sensitive', `The ${noun} is not known to be free of secrets.`);
  if (output.ephemeral !== false)
    throw new Refusal('interface_output_ephemeral', `The ${noun} is not known to be kept.`);
}

function blueprintOf(
  { key, name, spec, bindingRequests = [] }: ManifestInterface,
  policies: readonly ManifestPolicy[],
): InterfaceBlueprint {
  const inputs = Object.entries(spec.inputs ?? {}).map(([input, from]) => [
    input,
    from.source === 'literal'
      ? { source: 'literal', value: from.value as Json }
      : { source: 'capsule_output', outputName: from.outputName },
  ]);
  const { visibility, resourceUriInput } = spec.access;
  return {
    key,
    name,
    spec: {
      type: spec.type,
      version: spec.version,
      document: spec.document,
      ...(inputs.length > 0 && { inputs: Object.fromEntries(inputs) }),
      access: { visibility, ...(resourceUriInput !== undefined && { resourceUriInput }) },
    },
    ...(bindingRequests.length > 0 && {
      bindings: bindingRequests.map((request) => {
        requireAllowed({ permissions: request.permissions, deliveryType: request.delivery.type }, policies);
        return {
          key: request.key,
          permissions: [...request.permissions],
          delivery: { type: request.delivery.type },
          subject: { source: 'installing_principal' as const },
        };
      }),
    }),
  } as InterfaceBlueprint;
}

function requireAllowed(
  request: { permissions: readonly string[]; deliveryType: string },
  policies: readonly ManifestPolicy[],
): void {
  const fault = findBindingFault(request, policies);
  if (fault === 'permission')
    throw new Refusal(
      'interface_permission_disallowed',
      'An Interface asks for a permission that no policy of this server allows.',
    );
  if (fault === 'delivery')
    throw new Refusal(
      'interface_delivery_disallowed',
      'An Interface asks for a delivery that no policy of this server allows with its permissions.',
    );
}

/**
 * Throws when the operator's list does not allow the Output. The list is an upper limit, and its entries are not
 * changed.
 */
function requireFreeOutput(name: string, { type, from }: Allowed, { base, allOutputs }: InterfacesInput): void {
  const list = base.outputAllowlist ?? {};
  const known = Object.hasOwn(list, name) ? list[name] : undefined;
  const fits = known ? known.from === from && known.type === type : allOutputs;
  if (!fits)
    throw new Refusal('output_allowlist_conflict', `The ${named('Output', name)} is not public here in this way.`);
}

function requireFreeBlueprint(blueprint: InterfaceBlueprint, base: readonly InterfaceBlueprint[]): void {
  const other = base.find(({ key, name }) => key === blueprint.key || name === blueprint.name);
  if (other && JSON.stringify(other) !== JSON.stringify(blueprint))
    throw new Refusal(
      'interface_blueprint_conflict',
      'The operator has set up another Interface under the same key or name.',
    );
}

const mergeByKey = (
  base: readonly InterfaceBlueprint[],
  added: readonly InterfaceBlueprint[],
): InterfaceBlueprint[] => [...base, ...added.filter(({ key }) => !base.some((one) => one.key === key))];
