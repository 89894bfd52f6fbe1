import { expect, test } from 'vitest';
import type { PlanResource } from '#shared/plans/document';
import { evaluatePolicy } from './policy.ts';

const resource = (type: string, more: Partial<PlanResource> = {}): PlanResource => ({
  address: `${type}.x`,
  type,
  name: 'x',
  providerName: 'registry.opentofu.org/hashicorp/aws',
  mode: 'managed',
  actions: ['create'],
  before: null,
  after: null,
  afterUnknown: false,
  beforeSensitive: false,
  afterSensitive: false,
  ...more,
});
const plan = (...resources: PlanResource[]) => ({ resources, destructive: false });

test('no policy allows everything', () => {
  expect(evaluatePolicy([{}, {}], plan(resource('aws_x')))).toEqual({
    status: 'pass',
    messages: [],
    requireSecondPerson: false,
  });
});

test('an empty list allows nothing', () => {
  expect(evaluatePolicy([{ allowedResourceTypes: [] }], plan(resource('aws_x'))).status).toBe('deny');
  expect(evaluatePolicy([{ allowedResourceTypes: [] }], plan()).status).toBe('pass');
});

test('with two lists only what both allow is allowed', () => {
  const policies = [{ allowedResourceTypes: ['aws_x', 'aws_y'] }, { allowedResourceTypes: ['aws_y', 'aws_z'] }];
  expect(evaluatePolicy(policies, plan(resource('aws_y'))).status).toBe('pass');
  expect(evaluatePolicy(policies, plan(resource('aws_x'), resource('aws_z'))).messages).toHaveLength(2);
});

test('a provider may be named by its short or full address; data sources have a list of their own', () => {
  expect(evaluatePolicy([{ allowedProviders: ['hashicorp/aws'] }], plan(resource('aws_x'))).status).toBe('pass');
  expect(evaluatePolicy([{ allowedProviders: ['aws'] }], plan(resource('aws_x'))).status).toBe('pass');
  expect(evaluatePolicy([{ allowedProviders: ['ws'] }], plan(resource('aws_x'))).status).toBe('deny');
  expect(evaluatePolicy([{ allowedDataSourceTypes: [] }], plan(resource('aws_x'))).status).toBe('pass');
  expect(evaluatePolicy([{ allowedDataSourceTypes: [] }], plan(resource('aws_x', { mode: 'data' }))).status).toBe(
    'deny',
  );
});

test('a provider of another registry does not match, and built-in providers are not checked', () => {
  const policies = [{ allowedProviders: ['hashicorp/aws'] }];
  const from = (providerName: string) => evaluatePolicy(policies, plan(resource('aws_x', { providerName }))).status;
  expect(from('registry.terraform.io/hashicorp/aws')).toBe('pass');
  expect(from('evil.example/hashicorp/aws')).toBe('deny');
  expect(from('terraform.io/builtin/terraform')).toBe('pass');
});

test('two policies may name a provider differently', () => {
  const policies = [{ allowedProviders: ['aws'] }, { allowedProviders: ['registry.opentofu.org/hashicorp/aws'] }];
  expect(evaluatePolicy(policies, plan(resource('aws_x'))).status).toBe('pass');
});

test('a forbidden module denies a plan that changes nothing', () => {
  expect(evaluatePolicy([{}], { ...plan(), denied: ['No.'] })).toMatchObject({ status: 'deny', messages: ['No.'] });
});

test('destroying warns where it has to be confirmed, and a second person may be required', () => {
  const destructive = { ...plan(resource('aws_x')), destructive: true };
  expect(evaluatePolicy([{ destructiveChanges: { requireExplicitConfirmation: true } }], destructive).status).toBe(
    'warn',
  );
  expect(
    evaluatePolicy([{ destructiveChanges: { requireExplicitConfirmation: true } }], plan(resource('aws_x'))).status,
  ).toBe('pass');
  expect(evaluatePolicy([{ approval: { requireSecondPerson: true } }, {}], plan()).requireSecondPerson).toBe(true);
});
