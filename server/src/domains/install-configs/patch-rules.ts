import {
  createProblems,
  type JsonPath,
  type Report,
  reportPublicText,
  reportRepeated,
} from '#server/drivers/manifest/index';
import { invalidArgument } from '#server/kernel/errors';
import { holdsSentinel, redactedSentinel } from '#shared/install-configs/contract';
import type { LifecycleAction, LifecycleActionRequest } from '#shared/install-configs/lifecycle';
import type { InstallParts } from '#shared/install-configs/parts';
import type { InstallConfigPatch } from '#shared/install-configs/patch';
import { nothingLeft } from '#shared/kernel/endpoint';
import { boundedJson, findOutOfBounds, type Json, type JsonObject } from '#shared/kernel/json';
import { limits } from '#shared/limits';
import { findSecretLike } from '#shared/secret-like';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { blueprintRules, lifecycleRules, outputRules } from './patch-declarations.ts';
import type { ConfigRow } from './store.ts';

type Current = Pick<ConfigRow, 'variableMapping' | 'secretVariables' | 'parts' | 'policy' | 'allOutputs'>;
type Replaced = Pick<ConfigRow, 'variableMapping' | 'parts' | 'policy' | 'allOutputs'>;
type Patch = Omit<InstallConfigPatch, 'kind'>;
/** The resulting configuration, and the members of it that the patch names. */
type Draft = {
  variableMapping: JsonObject;
  parts: InstallParts;
  policy: PolicyConfig;
  allOutputs: boolean;
  /** Names whose values are secret, or come from the host. */
  withheld: ReadonlySet<string>;
  patch: Patch;
};

const most = { variables: 256 };

/**
 * Applies a patch to a configuration; members that it does not name stay. Throws 400 `install_config_patch_invalid` with a JSON Pointer to
 * the first error, and never a value.
 */
export function applyPatch(row: Current, patch: Patch): Replaced {
  const draft = draftOf(row, patch);
  const { report, list } = createProblems();
  variableRules(draft, report);
  presentationRules(draft, report);
  experienceRules(draft, report);
  outputRules(draft, report);
  blueprintRules(draft, report);
  lifecycleRules(draft, report);
  const [first] = list();
  if (first)
    throw invalidArgument(
      'install_config_patch_invalid',
      `The member ${first.pointer} is not valid. ${first.message}`,
      {
        field: first.pointer,
      },
    );
  const { variableMapping, parts, policy, allOutputs } = draft;
  return { variableMapping, policy, allOutputs, parts: Object.keys(parts).length > 0 ? parts : null };
}

function draftOf(row: Current, patch: Patch): Draft {
  const { variableMapping, variablePresentation, installExperience, outputAllowlist, ...others } = patch;
  const { interfaceBlueprints, lifecycleActions, lifecycleActionPolicy, ...rest } = others;
  nothingLeft(rest);
  const ux = row.parts?.installExperience?.repositoryInstallUx;
  const mark = ux && { repositoryInstallUx: ux };
  const { lifecycleActions: formerActions, ...formerParts } = row.parts ?? {};
  const actions = lifecycleActions?.map(storedAction) ?? formerActions ?? [];
  const parts = {
    ...formerParts,
    ...(variablePresentation && { variablePresentation }),
    ...(installExperience && { installExperience: { ...mark, ...installExperience } }),
    ...(outputAllowlist && { outputAllowlist }),
    ...(interfaceBlueprints && { interfaceBlueprints }),
    ...(actions.length > 0 && { lifecycleActions: actions }),
  } as InstallParts;
  const { lifecycleActions: existingActions, ...policy } = row.policy;
  const allowed = lifecycleActionPolicy === undefined ? existingActions : (lifecycleActionPolicy ?? undefined);
  const presented = parts.variablePresentation ?? [];
  return {
    variableMapping: (variableMapping ?? row.variableMapping) as JsonObject,
    parts,
    policy: { ...policy, ...(allowed && { lifecycleActions: allowed }) },
    // With a list, even an empty one, only the listed Outputs are public.
    allOutputs: row.allOutputs && outputAllowlist === undefined,
    withheld: new Set([
      ...row.secretVariables,
      ...presented.filter(({ secret, source }) => secret || source === 'host').map(({ name }) => name),
      ...(parts.generatedSecrets ?? []).map(({ variable }) => variable),
    ]),
    patch,
  };
}

/** Returns an action with the one name of its time limit. */
function storedAction({ timeout_seconds: alias, ...action }: LifecycleActionRequest): LifecycleAction {
  return alias === undefined ? action : { ...action, timeoutSeconds: alias };
}

/** A shared row is readable by every account, so it must not contain values of secret variables. */
function variableRules({ variableMapping, withheld, patch }: Draft, report: Report): void {
  const names = Object.keys(variableMapping);
  if (patch.variableMapping !== undefined) {
    const path = ['variableMapping'];
    if (names.length > most.variables || Buffer.byteLength(JSON.stringify(variableMapping)) > limits.variablesBytes)
      report(
        path,
        'count_out_of_range',
        `It has more than ${most.variables} variables or ${limits.variablesBytes} bytes.`,
      );
    else if (findOutOfBounds(variableMapping, boundedJson) !== undefined)
      report(path, 'depth_exceeded', 'A value of it is nested too deep or too large.');
  }
  const member = patch.variableMapping === undefined ? 'variablePresentation' : 'variableMapping';
  const secret = names.find((name) => withheld.has(name));
  if (secret !== undefined)
    report(
      [member, ...(member === 'variableMapping' ? [secret] : [])],
      'input_secret_invalid',
      'A secret variable must not have a value here.',
    );
  if (patch.variableMapping === undefined) return;
  for (const [name, value] of Object.entries(variableMapping)) {
    if (holdsSentinel(value))
      report([member, name], 'value_invalid', `${redactedSentinel} is the placeholder of a kept secret.`);
    else reportLiteral(value, [member, name], report);
  }
}

function reportLiteral(value: Json, path: JsonPath, report: Report): void {
  if (findSecretLike(value))
    report(path, 'secret_like_value', 'It looks like a credential, and everything here is public.');
}

function presentationRules({ patch: { variablePresentation = [] } }: Draft, report: Report): void {
  const path = ['variablePresentation'];
  reportRepeated(variablePresentation, { path, field: 'name' }, report);
  for (const [index, one] of variablePresentation.entries()) {
    const at = [...path, index];
    for (const field of ['label', 'helper', 'placeholder'] as const)
      if (one[field] !== undefined) reportPublicText(one[field], [...at, field], report);
    defaultRules(one, [...at, 'defaultValue'], report);
  }
}

type Presented = NonNullable<InstallConfigPatch['variablePresentation']>[number];

function defaultRules({ type, secret, defaultValue }: Presented, path: JsonPath, report: Report): void {
  if (defaultValue === undefined) return;
  if (secret) report(path, 'input_secret_invalid', 'A secret variable must not have a value here.');
  const value = (defaultValue.source === 'literal' ? defaultValue.value : '') as Json;
  const at = defaultValue.source === 'literal' ? [...path, 'value'] : path;
  if (!fits(type, value)) report(at, 'type_invalid', 'It does not fit the type; the name of a Capsule is a string.');
  if (findOutOfBounds(value, boundedJson) !== undefined) report(at, 'depth_exceeded', 'It is too large.');
  else reportLiteral(value, at, report);
}

const fits = (type: string | undefined, value: Json): boolean =>
  type === undefined || type === 'json' || typeof value === type;

/** A feature groups inputs of the form; each belongs to one feature at most. */
function experienceRules({ parts, patch: { installExperience, variablePresentation } }: Draft, report: Report): void {
  if (!installExperience && !variablePresentation) return;
  const { projections = [], features = [] } = parts.installExperience ?? {};
  const path = ['installExperience'];
  const shown = new Set((parts.variablePresentation ?? []).map(({ name }) => name));
  const claimed = new Set<string>();
  reportRepeated(features, { path: [...path, 'features'], field: 'id' }, report);
  for (const [index, { label, inputs }] of features.entries()) {
    const at = [...path, 'features', index];
    reportPublicText(label, [...at, 'label'], report);
    for (const [position, name] of inputs.entries()) claim(name, [...at, 'inputs', position]);
  }
  for (const [index, one] of projections.entries())
    if (one.kind === 'oidc_client' && one.scopes && !one.scopes.includes('openid'))
      report([...path, 'projections', index, 'scopes'], 'oidc_scope_openid_missing', 'The scopes must include openid.');

  function claim(name: string, at: JsonPath): void {
    if (!shown.has(name)) report(at, 'feature_input_invalid', 'It must name a variable of variablePresentation.');
    if (claimed.has(name)) report(at, 'not_unique', 'Another feature has this input.');
    claimed.add(name);
  }
}
