import type { PlanDocument } from '#shared/deploys/plan';
import type { PolicyConfig } from '#shared/workspaces/contract';

export type PolicyVerdict = { status: 'pass' | 'warn' | 'deny'; messages: string[]; requireSecondPerson: boolean };

const narrower = (
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): readonly string[] | undefined => {
  if (a === undefined || b === undefined) return a ?? b;
  return a.filter((name) => b.includes(name));
};

type Plan = Pick<PlanDocument, 'resources'> & {
  destructive: boolean;
  /** What a person should look at before this plan is applied, whatever the policies say. */
  warnings?: readonly string[];
};

/** Both policies apply and the narrower wins: an absent list allows all, an empty one none. */
export function evaluatePolicy(policies: readonly PolicyConfig[], plan: Plan): PolicyVerdict {
  const denied = findDenied(policies, plan.resources);
  const requireSecondPerson = policies.some((policy) => policy.approval?.requireSecondPerson === true);
  if (denied.length > 0) return { status: 'deny', messages: denied, requireSecondPerson };
  const confirm =
    plan.destructive && policies.some((policy) => policy.destructiveChanges?.requireExplicitConfirmation === true);
  const messages = [
    ...(plan.warnings ?? []),
    ...(confirm ? ['This plan destroys or replaces something, which has to be confirmed here.'] : []),
  ];
  return { status: messages.length > 0 ? 'warn' : 'pass', messages, requireSecondPerson };
}

function findDenied(policies: readonly PolicyConfig[], resources: Plan['resources']): string[] {
  const list = (pick: (policy: PolicyConfig) => readonly string[] | undefined) =>
    policies.map(pick).reduce(narrower, undefined);
  const providers = list((policy) => policy.allowedProviders);
  const types = {
    managed: { allowed: list((policy) => policy.allowedResourceTypes), word: 'resource' },
    data: { allowed: list((policy) => policy.allowedDataSourceTypes), word: 'data source' },
  };
  const denied = resources.flatMap(({ providerName, type, mode }) => {
    const { allowed, word } = types[mode];
    return [
      ...(providers && !providers.some((name) => isProvider(providerName, name))
        ? [`The provider ${providerName} is not allowed here.`]
        : []),
      ...(allowed && !allowed.includes(type) ? [`The ${word} type ${type} is not allowed here.`] : []),
    ];
  });
  return [...new Set(denied)];
}

/** A policy names a provider whole or by its last parts. */
const isProvider = (address: string, name: string): boolean => address === name || address.endsWith(`/${name}`);
