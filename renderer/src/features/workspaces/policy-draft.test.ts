import { describe, expect, test } from 'vitest';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { draftOf, policyOf, readPolicy } from './policy-draft.ts';

const whole: PolicyConfig = {
  approval: { requireSecondPerson: true },
  allowedProviders: ['hashicorp/aws', 'hashicorp/random'],
  allowedResourceTypes: [],
  providerCredentials: { requiredProviders: ['hashicorp/aws'], requireTemporary: true },
  quota: { runs: 3 },
};

describe('the form of a policy', () => {
  test.each([
    [{}],
    [whole],
    [{ providerCredentials: {} }],
    [{ allowedDataSourceTypes: ['http'] }],
    [{ allowedProvisionerTypes: [] }],
  ])('leaves an unedited %j unchanged', (policy) => {
    expect(policyOf(draftOf(policy), policy)).toEqual(policy);
  });

  test('keeps what it does not show, and leaves an emptied list open', () => {
    const draft = {
      ...draftOf(whole),
      second: false,
      destroy: true,
      providers: ' \n',
      resources: 'aws_s3_bucket\n\n',
      provisioners: 'file',
    };
    expect(policyOf(draft, whole)).toEqual({
      destructiveChanges: { requireExplicitConfirmation: true },
      allowedResourceTypes: ['aws_s3_bucket'],
      allowedProvisionerTypes: ['file'],
      providerCredentials: whole.providerCredentials,
      quota: { runs: 3 },
    });
  });

  test('reads only a policy', () => {
    expect(readPolicy(JSON.stringify(whole))).toEqual(whole);
    for (const text of ['', '[]', '{"a":1}', '{']) expect(readPolicy(text)).toBeUndefined();
  });
});
