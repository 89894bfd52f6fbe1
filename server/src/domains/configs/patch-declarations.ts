import { type Place, type Tell, tellPublicJson, tellPublicText, tellRepeated } from '#server/drivers/manifest/index';
import { type LifecycleAction, lifecycleCapability } from '#shared/configs/lifecycle';
import type { InstallParts } from '#shared/configs/parts';
import type { InstallConfigPatch } from '#shared/configs/patch';
import type { Json } from '#shared/kernel/json';
import type { PolicyConfig } from '#shared/workspaces/contract';

/** What a patch declares to happen after a plan, in a configuration as it would be. */
type Draft = {
  parts: InstallParts;
  policy: PolicyConfig;
  allOutputs: boolean;
  patch: Omit<InstallConfigPatch, 'kind'>;
};

/** RFC 6901. */
const jsonPointer = /^(?:\/(?:[^~]|~[01])*)?$/;

/** An Interface reads public Outputs only, and an allowlist may not take one from under it. */
export function outputRules({ parts, allOutputs, patch }: Draft, tell: Tell): void {
  if (!patch.outputAllowlist && !patch.interfaceBlueprints) return;
  const isPublic = (name: string) => allOutputs || Object.hasOwn(parts.outputAllowlist ?? {}, name);
  const member = patch.interfaceBlueprints ? 'interfaceBlueprints' : 'outputAllowlist';
  for (const [index, { spec }] of (parts.interfaceBlueprints ?? []).entries())
    for (const [name, input] of Object.entries(spec.inputs ?? {})) {
      if (input.source !== 'capsule_output' || isPublic(input.outputName)) continue;
      const place = patch.interfaceBlueprints ? [member, index, 'spec', 'inputs', name, 'outputName'] : [member];
      tell(place, 'value_invalid', 'An Interface reads an Output that is not public here.');
    }
}

export function blueprintRules({ patch: { interfaceBlueprints = [] } }: Draft, tell: Tell): void {
  const place = ['interfaceBlueprints'];
  tellRepeated(interfaceBlueprints, { place, field: 'key' }, tell);
  tellRepeated(interfaceBlueprints, { place, field: 'name' }, tell);
  for (const [index, { spec, labels = {}, bindings = [] }] of interfaceBlueprints.entries()) {
    const at = [...place, index];
    for (const [key, text] of Object.entries(labels)) tellPublicText(text, [...at, 'labels', key], tell);
    specRules(spec, [...at, 'spec'], tell);
    tellRepeated(bindings, { place: [...at, 'bindings'], field: 'key' }, tell);
    for (const [position, { permissions }] of bindings.entries())
      if (new Set(permissions).size < permissions.length)
        tell([...at, 'bindings', position, 'permissions'], 'not_unique', 'A permission stands twice.');
  }
}

type Spec = NonNullable<InstallConfigPatch['interfaceBlueprints']>[number]['spec'];

function specRules({ inputs = {}, document, documentSchema, access }: Spec, place: Place, tell: Tell): void {
  tellPublicJson(document as Json, [...place, 'document'], tell);
  if (documentSchema !== undefined) tellPublicJson(documentSchema as Json, [...place, 'documentSchema'], tell);
  for (const [name, input] of Object.entries(inputs)) {
    const at = [...place, 'inputs', name];
    if (input.source === 'literal') tellPublicJson(input.value as Json, [...at, 'value'], tell);
    else if (input.pointer !== undefined && !jsonPointer.test(input.pointer))
      tell([...at, 'pointer'], 'value_invalid', 'It is no JSON Pointer.');
  }
  if (access.resourceUriInput !== undefined && !Object.hasOwn(inputs, access.resourceUriInput))
    tell([...place, 'access', 'resourceUriInput'], 'resource_uri_input_unknown', 'It must name an input of this spec.');
}

/** Only what the policy allows can be declared; without one nothing is (shapes 18.1). */
export function lifecycleRules({ policy, patch: { lifecycleActions = [] } }: Draft, tell: Tell): void {
  const place = ['lifecycleActions'];
  tellRepeated(lifecycleActions, { place, field: 'id' }, tell);
  for (const [index, action] of lifecycleActions.entries()) {
    if (!isAllowed(action, policy.lifecycleActions))
      tell([...place, index], 'value_invalid', 'The policy of lifecycle actions does not allow it.');
    for (const [position, argument] of action.command.entries())
      tellPublicText(argument, [...place, index, 'command', position], tell);
    for (const [name, text] of Object.entries(action.env ?? {}))
      tellPublicText(text, [...place, index, 'env', name], tell);
  }
}

function isAllowed(action: LifecycleAction, policy: PolicyConfig['lifecycleActions']): boolean {
  if (!policy?.allowedExecutors.includes(action.executor)) return false;
  if (action.useProviderCredentials && !policy.allowProviderCredentials) return false;
  const { runnerCapability = lifecycleCapability } = action;
  return action.executor === 'operator' || policy.allowedRunnerCapabilities.includes(runnerCapability);
}
