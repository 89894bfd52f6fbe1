import {
  createProblems,
  type JsonPath,
  type Report,
  reportPublicJson,
  reportPublicText,
  reportRepeated,
} from '#server/drivers/manifest/index';
import { isActionAllowed, type LifecycleAction } from '#shared/install-configs/lifecycle';
import type { InstallParts } from '#shared/install-configs/parts';
import type { InstallConfigPatch } from '#shared/install-configs/patch';
import type { Json } from '#shared/kernel/json';
import { isJsonPointer } from '#shared/kernel/json-pointer';
import type { ManifestProblem } from '#shared/manifest/contract';
import type { PolicyConfig } from '#shared/workspaces/contract';

/** Actions after a plan that a patch declares, in the resulting configuration. */
type Draft = {
  parts: InstallParts;
  policy: PolicyConfig;
  allOutputs: boolean;
  patch: Omit<InstallConfigPatch, 'kind'>;
};

/** An Interface reads public Outputs only, so an allowlist must keep the Outputs that it reads. */
export function outputRules({ parts, allOutputs, patch }: Draft, report: Report): void {
  if (!patch.outputAllowlist && !patch.interfaceBlueprints) return;
  const isPublic = (name: string) => allOutputs || Object.hasOwn(parts.outputAllowlist ?? {}, name);
  const member = patch.interfaceBlueprints ? 'interfaceBlueprints' : 'outputAllowlist';
  for (const [index, { spec }] of (parts.interfaceBlueprints ?? []).entries())
    for (const [name, input] of Object.entries(spec.inputs ?? {})) {
      if (input.source !== 'capsule_output' || isPublic(input.outputName)) continue;
      const path = patch.interfaceBlueprints ? [member, index, 'spec', 'inputs', name, 'outputName'] : [member];
      report(path, 'value_invalid', 'An Interface reads an Output that is not public here.');
    }
}

export function blueprintRules({ patch: { interfaceBlueprints = [] } }: Draft, report: Report): void {
  const path = ['interfaceBlueprints'];
  reportRepeated(interfaceBlueprints, { path, field: 'key' }, report);
  reportRepeated(interfaceBlueprints, { path, field: 'name' }, report);
  for (const [index, { spec, labels = {}, bindings = [] }] of interfaceBlueprints.entries()) {
    const at = [...path, index];
    for (const [key, text] of Object.entries(labels)) reportPublicText(text, [...at, 'labels', key], report);
    specRules(spec, [...at, 'spec'], report);
    reportRepeated(bindings, { path: [...at, 'bindings'], field: 'key' }, report);
    for (const [position, { permissions }] of bindings.entries())
      if (new Set(permissions).size < permissions.length)
        report([...at, 'bindings', position, 'permissions'], 'not_unique', 'A permission is listed twice.');
  }
}

type Spec = NonNullable<InstallConfigPatch['interfaceBlueprints']>[number]['spec'];

function specRules({ inputs = {}, document, documentSchema, access }: Spec, path: JsonPath, report: Report): void {
  reportPublicJson(document as Json, [...path, 'document'], report);
  if (documentSchema !== undefined) reportPublicJson(documentSchema as Json, [...path, 'documentSchema'], report);
  for (const [name, input] of Object.entries(inputs)) {
    const at = [...path, 'inputs', name];
    if (input.source === 'literal') reportPublicJson(input.value as Json, [...at, 'value'], report);
    else if (input.pointer !== undefined && !isJsonPointer(input.pointer))
      report([...at, 'pointer'], 'value_invalid', 'It is not a valid JSON Pointer.');
  }
  if (access.resourceUriInput !== undefined && !Object.hasOwn(inputs, access.resourceUriInput))
    report(
      [...path, 'access', 'resourceUriInput'],
      'resource_uri_input_unknown',
      'It must name an input of this spec.',
    );
}

/** Returns the first problem of the Interfaces of a configuration, with a JSON Pointer to it; undefined when they are sound. */
export function findBlueprintProblem(parts: InstallParts, allOutputs: boolean): ManifestProblem | undefined {
  const { report, list } = createProblems();
  const patch = { interfaceBlueprints: parts.interfaceBlueprints ?? [] } as Draft['patch'];
  blueprintRules({ parts, allOutputs, policy: {}, patch }, report);
  outputRules({ parts, allOutputs, policy: {}, patch }, report);
  return list()[0];
}

/** Requires that the policy allows each action; without a policy none is allowed. */
export function lifecycleRules({ parts: { lifecycleActions = [] }, policy, patch }: Draft, report: Report): void {
  if (patch.lifecycleActions === undefined && patch.lifecycleActionPolicy === undefined) return;
  const path = ['lifecycleActions'];
  reportRepeated(lifecycleActions, { path, field: 'id' }, report);
  for (const [index, action] of lifecycleActions.entries()) {
    if (!isActionAllowed(action, policy.lifecycleActions))
      report([...path, index], 'value_invalid', 'The policy of lifecycle actions does not allow it.');
    if (action.cleanupFor !== undefined && !isCleanup(action, lifecycleActions))
      report(
        [...path, index, 'cleanupFor'],
        'value_invalid',
        'Only a pre_destroy action has it, and it must name a post_apply action of this list.',
      );
    for (const [position, argument] of action.command.entries())
      reportPublicText(argument, [...path, index, 'command', position], report);
    // The name counts too: a value that is named like a credential is one.
    for (const [name, text] of Object.entries(action.env ?? {}))
      reportPublicText(`${name}=${text}`, [...path, index, 'env', name], report);
  }
}

const isCleanup = ({ phase, cleanupFor }: LifecycleAction, actions: readonly LifecycleAction[]): boolean =>
  phase === 'pre_destroy' && actions.some(({ id, phase: other }) => id === cleanupFor && other === 'post_apply');
