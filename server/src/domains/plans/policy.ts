import type { PlanDocument } from '#shared/plans/document';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { allowsProvider, allowsType, type TypeList } from '#shared/workspaces/policy';

export type PolicyVerdict = { status: 'pass' | 'warn' | 'deny'; messages: string[]; requireSecondPerson: boolean };

type Plan = Pick<PlanDocument, 'resources'> & {
  destructive: boolean;
  /** Violations by the module itself. */
  denied?: readonly string[];
  /** Warnings that a person should read before this plan is applied, whatever the policies say. */
  warnings?: readonly string[];
};

/** Both policies apply and the stricter one decides: an absent list allows all, an empty one none. */
export function evaluatePolicy(policies: readonly PolicyConfig[], plan: Plan): PolicyVerdict {
  const denied = [...(plan.denied ?? []), ...findDenied(policies, plan.resources)];
  const requireSecondPerson = policies.some((policy) => policy.approval?.requireSecondPerson === true);
  if (denied.length > 0) return { status: 'deny', messages: denied, requireSecondPerson };
  const confirm =
    plan.destructive && policies.some((policy) => policy.destructiveChanges?.requireExplicitConfirmation === true);
  const messages = [
    ...(plan.warnings ?? []),
    ...(confirm ? ['This plan destroys, replaces or forgets something, which requires approval here.'] : []),
  ];
  return { status: messages.length > 0 ? 'warn' : 'pass', messages, requireSecondPerson };
}

const lists = {
  managed: { list: 'allowedResourceTypes', noun: 'resource' },
  data: { list: 'allowedDataSourceTypes', noun: 'data source' },
} as const satisfies Record<string, { list: TypeList; noun: string }>;

/** Violations by planned resources, each sentence once. */
export function findDenied(policies: readonly PolicyConfig[], resources: Plan['resources']): string[] {
  const denied = resources.flatMap(({ providerName, type, mode }) => {
    const { list, noun } = lists[mode];
    return [
      ...(isBuiltIn(providerName) || allowsProvider(policies, providerName)
        ? []
        : [`The provider ${providerName} is not allowed here.`]),
      ...(allowsType(policies, list, type) ? [] : [`The ${noun} type ${type} is not allowed here.`]),
    ];
  });
  return [...new Set(denied)];
}

/** A provider that is built into the tool is not a package that a policy could allow. */
const isBuiltIn = (address: string): boolean => address.startsWith('terraform.io/builtin/');
