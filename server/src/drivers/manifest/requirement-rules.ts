import { manifestLimits } from '#shared/limits';
import type { JsonPath, Report } from './problems.ts';
import { reportRepeated } from './unique.ts';
import { type ManifestRequirement, oidcSlots } from './versions.ts';

type Oidc = Extract<ManifestRequirement, { kind: 'identity.oidc' }>;
type Delivering = Exclude<ManifestRequirement, { kind: 'interface.consume' }>;

const singletons = ['http.endpoint', 'identity.oidc'] as const;
const isDelivering = (entry: ManifestRequirement): entry is Delivering => entry.kind !== 'interface.consume';
const hasVariables = ({ deliver }: Delivering): boolean => deliver.variables !== undefined;
const targetsOf = ({ deliver }: Delivering) => Object.entries(deliver.variables ?? deliver.bindings ?? {});

type Needs = {
  requires: readonly ManifestRequirement[];
  /** Reports whether this version lets `identity.oidc` deliver to runtime bindings. */
  runtimeBindings: boolean;
};

/** Checks the rules that the requirements of a module must satisfy together. */
export function requirementRules(needs: Needs, path: JsonPath, report: Report): void {
  const { requires } = needs;
  const countOf = (kind: string) => requires.filter((entry) => entry.kind === kind).length;
  if (countOf('secret.generated') > manifestLimits.generatedSecrets)
    report(path, 'count_out_of_range', `At most ${manifestLimits.generatedSecrets} secrets can be generated.`);
  for (const kind of singletons) if (countOf(kind) > 1) report(path, 'not_unique', `A module can ask for one ${kind}.`);
  const consumed = requires.map((entry) => (isDelivering(entry) ? {} : entry));
  reportRepeated(consumed, { path, field: 'key' }, report);
  deliveryRules(requires, path, report);
  for (const [index, entry] of requires.entries())
    if (entry.kind === 'identity.oidc') oidcRules({ ...needs, entry }, [...path, index], report);
}

/** Checks that each name receives one value. */
function deliveryRules(requires: readonly ManifestRequirement[], path: JsonPath, report: Report): void {
  const claimed = new Set<string>();
  for (const [index, entry] of requires.entries()) {
    if (!isDelivering(entry)) continue;
    const way = hasVariables(entry) ? 'variables' : 'bindings';
    for (const [slot, name] of targetsOf(entry)) {
      if (claimed.has(name as string))
        report(
          [...path, index, 'deliver', way, slot],
          'delivery_repeated',
          'Something else is delivered to this name.',
        );
      claimed.add(name as string);
    }
  }
}

/**
 * Checks `identity.oidc`. Its variables are all four or none. Before v2.4 the structural schema accepts `bindings`, and
 * this rule rejects them.
 */
function oidcRules(
  { entry, requires, runtimeBindings }: Needs & { entry: Oidc },
  path: JsonPath,
  report: Report,
): void {
  const { variables, bindings } = entry.deliver;
  const isRuntime = runtimeBindings && bindings !== undefined;
  if (!isRuntime && oidcSlots.some((slot) => variables?.[slot] === undefined))
    report([...path, 'deliver'], 'oidc_slots_incomplete', `It must deliver to variables: ${oidcSlots.join(', ')}.`);
  const [endpoint, ...others] = requires.filter((other) => other.kind === 'http.endpoint');
  const url = endpoint?.deliver.variables?.['url'] ?? (isRuntime ? endpoint?.deliver.bindings?.['url'] : undefined);
  if (url === undefined || others.length > 0)
    report(path, 'oidc_endpoint_missing', 'It needs exactly one http.endpoint in this module that delivers url.');
  if (entry.scopes && !entry.scopes.includes('openid'))
    report([...path, 'scopes'], 'oidc_scope_openid_missing', 'The scopes must include openid.');
}
