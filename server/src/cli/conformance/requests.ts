import { randomUUID } from 'node:crypto';
import type { JsonObject } from '#shared/kernel/json';
import type { Fixture, FormIdentity } from './fixture.ts';
import type { HostRequest } from './host-client.ts';

export const protocolVersion = 'forms.formhost/v1alpha1';
export const apiPath = `/apis/${protocolVersion}`;
export const compatibilityPath = '/v1';

export const noneYet = { 'if-none-match': '*' } as const;
export const atVersion = (resourceVersion: string) => ({ 'if-match': `"${resourceVersion}"` }) as const;
export const withKey = (key: string) => ({ 'idempotency-key': key }) as const;
export const newKey = (): string => `conformance-${randomUUID()}`;

/** Query of a call that has no body: all five members of the form reference, and the space. */
export const exactQuery = ({ formRef, packageDigest }: FormIdentity, space: string): Record<string, string> => ({
  space,
  ...formRef,
  packageDigest,
});

export const resourcePath = ({ form }: Fixture, name: string, action = ''): string =>
  `${apiPath}/resources/${form.formRef.kind}/${name}${action === '' ? '' : `/${action}`}`;

export const compatibilityResourcePath = ({ form }: Fixture, name: string): string =>
  `${compatibilityPath}/resources/${form.formRef.kind}/${name}`;

type DesiredInput = { name?: string; space?: string; resourceVersion?: string; form?: FormIdentity };

/** Body of a call that sends a desired state. */
export function desiredBody(fixture: Fixture, spec: JsonObject, input: DesiredInput = {}) {
  const { form = fixture.form, name = fixture.name, space = fixture.space, resourceVersion } = input;
  const { apiVersion, kind } = form.formRef;
  const metadata = { name, space, ...(resourceVersion !== undefined && { resourceVersion }) };
  return { apiVersion, kind, form, metadata, spec };
}

export type ReadOptions = { name?: string; form?: FormIdentity; space?: string; action?: 'events' };

/** A read of a Resource or of its events. */
export const readRequest = (
  fixture: Fixture,
  { name = fixture.name, form = fixture.form, space = fixture.space, action }: ReadOptions = {},
): HostRequest => ({
  method: 'GET',
  path: resourcePath(fixture, name, action),
  query: exactQuery(form, space),
});

export const previewRequest = (body: unknown, headers: HostRequest['headers'] = noneYet): HostRequest => ({
  method: 'POST',
  path: `${apiPath}/resources/preview`,
  headers,
  body,
});

export const putRequest = (fixture: Fixture, body: unknown, headers: HostRequest['headers'] = {}): HostRequest => ({
  method: 'PUT',
  path: resourcePath(fixture, fixture.name),
  headers,
  body,
});

/** Changes one hex digit of a digest. */
export const otherDigest = (digest: string): string => {
  const digit = digest.charAt(7);
  return `${digest.slice(0, 7)}${digit === '0' ? '1' : '0'}${digest.slice(8)}`;
};

/** Changes a version or name so that it keeps its form: counts its last number, or appends one. */
const otherVersion = (version: string): string =>
  /\d/.test(version)
    ? version.replace(/(\d+)(\D*)$/, (_, digits: string, rest: string) => `${BigInt(digits) + 1n}${rest}`)
    : `${version}2`;

/** The form reference five times, each with one other member. */
export function substitutions(form: FormIdentity): { member: string; form: FormIdentity }[] {
  const { formRef, packageDigest } = form;
  const others = {
    apiVersion: otherVersion(formRef.apiVersion),
    kind: otherVersion(formRef.kind),
    definitionVersion: otherVersion(formRef.definitionVersion),
    schemaDigest: otherDigest(formRef.schemaDigest),
  };
  return [
    ...Object.entries(others).map(([member, value]) => ({
      member,
      form: { formRef: { ...formRef, [member]: value }, packageDigest },
    })),
    { member: 'packageDigest', form: { formRef, packageDigest: otherDigest(packageDigest) } },
  ];
}
