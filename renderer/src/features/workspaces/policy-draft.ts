import { PolicyConfig } from '#shared/workspaces/contract';

/** Part of a policy that is edited as a form. The rest stays unchanged. */
export type PolicyDraft = {
  second: boolean;
  destroy: boolean;
  providers: string;
  resources: string;
  data: string;
  provisioners: string;
  required: string;
};

const linesOf = (list: readonly string[] | undefined): string => (list ?? []).join('\n');
const listOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const draftOf = (policy: PolicyConfig): PolicyDraft => ({
  second: policy.approval?.requireSecondPerson === true,
  destroy: policy.destructiveChanges?.requireExplicitConfirmation === true,
  providers: linesOf(policy.allowedProviders),
  resources: linesOf(policy.allowedResourceTypes),
  data: linesOf(policy.allowedDataSourceTypes),
  provisioners: linesOf(policy.allowedProvisionerTypes),
  required: linesOf(policy.providerCredentials?.requiredProviders),
});

/** An empty list and a missing one look equal in the text field, so only an edit of the text changes the list. */
function allowing(text: string, was: readonly string[] | undefined): string[] | undefined {
  if (text === linesOf(was)) return was === undefined ? undefined : [...was];
  const list = listOf(text);
  return list.length === 0 ? undefined : list;
}

/** Applies the form to the previous policy. */
export function policyOf(draft: PolicyDraft, was: PolicyConfig): PolicyConfig {
  const { requiredProviders, ...credentials } = was.providerCredentials ?? {};
  const required = allowing(draft.required, requiredProviders);
  const whole = {
    ...was,
    approval: draft.second ? { requireSecondPerson: true } : undefined,
    destructiveChanges: draft.destroy ? { requireExplicitConfirmation: true } : undefined,
    allowedProviders: allowing(draft.providers, was.allowedProviders),
    allowedResourceTypes: allowing(draft.resources, was.allowedResourceTypes),
    allowedDataSourceTypes: allowing(draft.data, was.allowedDataSourceTypes),
    allowedProvisionerTypes: allowing(draft.provisioners, was.allowedProvisionerTypes),
    providerCredentials: { ...credentials, ...(required && { requiredProviders: required }) },
  };
  if (Object.keys(whole.providerCredentials).length === 0 && !was.providerCredentials)
    return withoutAbsent({ ...whole, providerCredentials: undefined });
  return withoutAbsent(whole);
}

const withoutAbsent = (policy: Record<string, unknown>): PolicyConfig =>
  Object.fromEntries(Object.entries(policy).filter(([, value]) => value !== undefined)) as PolicyConfig;

/** Parses a policy from text; undefined when it is invalid. */
export function readPolicy(text: string): PolicyConfig | undefined {
  try {
    return PolicyConfig.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
