import { randomBytes } from 'node:crypto';
import type { Fixture } from './fixture.ts';
import type { HostRequest } from './host-client.ts';
import {
  apiPath,
  atVersion,
  compatibilityResourcePath,
  desiredBody,
  exactQuery,
  newKey,
  noneYet,
  previewRequest,
  putRequest,
  readRequest,
  resourcePath,
  withKey,
} from './requests.ts';
import type { Stage, StageInput } from './stage.ts';

/** Requests that every host refuses: invalid desired states, missing credentials, foreign spaces, broken bodies. */
export const negativeFixtures: Stage = {
  name: 'negative-fixtures',
  run: async (input) => {
    await requireAbsent(input);
    await refuseInvalidSpecs(input);
    await refuseWithoutBearer(input);
    await refuseUnknownSpace(input);
    await refuseBodies(input);
    await refuseAtGate(input);
    await requireAbsent(input);
  },
};

async function requireAbsent({ probe, fixture }: StageInput): Promise<void> {
  const answer = await probe.send(readRequest(fixture));
  probe.requireRefusal(answer, '404 resource_not_found');
  if (answer.status === 200)
    probe.fail(answer, 'a Resource of this name exists. Delete it, or choose another name in the fixture.');
}

async function refuseInvalidSpecs({ probe, fixture }: StageInput): Promise<void> {
  for (const { title, spec } of fixture.invalid) {
    const answer = await probe.send(previewRequest(desiredBody(fixture, spec)));
    probe.require(answer.status >= 400, answer, `the negative fixture "${title}" is accepted.`);
    probe.requireRefusal(answer, '400 invalid_argument');
  }
}

/** Every route of the protocol with a request that is valid but for what is added to it. */
function everyRoute(fixture: Fixture, space = fixture.space): HostRequest[] {
  const body = desiredBody(fixture, fixture.spec, { space });
  const planDigest = `sha256:${'0'.repeat(64)}`;
  const query = exactQuery(fixture.form, space);
  const existing = { ...atVersion('1'), ...withKey(newKey()) };
  const absent = { ...noneYet, ...withKey(newKey()) };
  const path = resourcePath(fixture, fixture.name);
  return [
    { method: 'GET', path: `${apiPath}/forms`, query: { space } },
    { method: 'GET', path: `${apiPath}/resources`, query: { space } },
    previewRequest(body),
    putRequest(fixture, { ...body, review: { planDigest } }, absent),
    { method: 'POST', path: `${path}/import`, headers: absent, body: { ...body, nativeId: 'absent' } },
    readRequest(fixture, { space }),
    readRequest(fixture, { space, action: 'events' }),
    { method: 'POST', path: `${path}/observe`, headers: existing, query },
    { method: 'POST', path: `${path}/refresh`, headers: existing, query },
    { method: 'DELETE', path, headers: existing, query },
  ];
}

async function refuseWithoutBearer({ probe, fixture }: StageInput): Promise<void> {
  const compatibility: HostRequest = {
    method: 'GET',
    path: compatibilityResourcePath(fixture, fixture.name),
    query: { space: fixture.space },
  };
  for (const request of [...everyRoute(fixture), compatibility])
    for (const credential of ['none', 'cookie', 'wrong'] as const)
      probe.requireRefusal(await probe.send({ ...request, credential }), '401 unauthenticated');
}

async function refuseUnknownSpace({ probe, fixture }: StageInput): Promise<void> {
  const space = `absent-${randomBytes(8).toString('hex')}`;
  for (const request of everyRoute(fixture, space))
    probe.requireRefusal(await probe.send(request), '403 permission_denied');
}

async function refuseBodies({ probe, fixture }: StageInput): Promise<void> {
  const body = desiredBody(fixture, fixture.spec);
  const without = (name: string) => ({ ...body, [name]: undefined });
  const formRefs = Object.keys(fixture.form.formRef).map((member) => ({
    ...body,
    form: { ...fixture.form, formRef: { ...fixture.form.formRef, [member]: undefined } },
  }));
  const broken = [
    ...['apiVersion', 'kind', 'form', 'metadata', 'spec'].map(without),
    ...formRefs,
    { ...body, form: { ...fixture.form, packageDigest: undefined } },
    { ...body, unknown: true },
    { ...body, form: { ...fixture.form, unknown: true } },
    { ...body, metadata: { ...body.metadata, unknown: true } },
    ...['0', '1.0', '9223372036854775808'].map((resourceVersion) => ({
      ...body,
      metadata: { ...body.metadata, resourceVersion },
    })),
    '{"apiVersion":',
  ];
  for (const each of broken) probe.requireRefusal(await probe.send(previewRequest(each)), '400 invalid_argument');
  const unnamed = { ...body, metadata: { ...body.metadata, name: `${fixture.name}-absent` } };
  const review = { planDigest: `sha256:${'0'.repeat(64)}` };
  const headers = { ...noneYet, ...withKey(newKey()) };
  const answer = await probe.send(putRequest(fixture, { ...unnamed, review }, headers));
  probe.requireRefusal(answer, '400 invalid_argument');
}

async function refuseAtGate({ probe, fixture }: StageInput): Promise<void> {
  const body = desiredBody(fixture, fixture.spec);
  const unknown = await probe.send({ method: 'GET', path: `${apiPath}/unknown` });
  probe.requireRefusal(unknown, '404 resource_not_found');
  const unsupported = await probe.send({ method: 'PATCH', path: `${apiPath}/forms` });
  probe.requireRefusal(unsupported, '405 invalid_argument');
  const mediaType = { ...noneYet, 'content-type': 'text/plain' };
  probe.requireRefusal(await probe.send(previewRequest(body, mediaType)), '415 invalid_argument');
}
