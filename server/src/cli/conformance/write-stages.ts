import type { JsonObject } from '#shared/kernel/json';
import type { Answer, HostRequest } from './host-client.ts';
import { isSameJson, jsonDigest } from './json.ts';
import {
  atVersion,
  desiredBody,
  newKey,
  noneYet,
  otherDigest,
  previewRequest,
  putRequest,
  readRequest,
  withKey,
} from './requests.ts';
import { commonOf, Preview, Resource, versionOf } from './shapes.ts';
import type { Stage, StageInput, Written } from './stage.ts';

/** A preview gives the Resource and a review that depends on nothing but the request, and writes nothing. */
export const preview: Stage = {
  name: 'preview',
  run: async (input) => {
    const { probe, fixture, progress } = input;
    for (const headers of [{}, atVersion('1')]) {
      const refused = await probe.send(previewRequest(desiredBody(fixture, fixture.spec), headers));
      probe.requireRefusal(refused, '412 resource_version_conflict');
    }
    const first = await previewOf(input, fixture.spec);
    const second = await previewOf(input, fixture.spec);
    const other = await previewOf(input, fixture.update);
    const renamed = await previewOf(input, fixture.spec, `${fixture.name}-absent`);
    if (!first || !second || !other || !renamed) return;
    const { answer, review } = first;
    probe.require(isSameJson(review, second.review), answer, 'the same preview twice gives two reviews.');
    probe.require(review.specDigest === renamed.review.specDigest, answer, 'specDigest depends on the name.');
    probe.require(review.specDigest !== other.review.specDigest, answer, 'two desired states have one specDigest.');
    probe.require(review.planDigest !== other.review.planDigest, answer, 'two desired states have one planDigest.');
    probe.require(review.planDigest !== renamed.review.planDigest, answer, 'two names have one planDigest.');
    const read = await probe.send(readRequest(fixture));
    probe.require(read.status === 404, read, 'the Resource exists after a preview.');
    if (read.status === 404) Object.assign(progress, { isAbsent: true, planDigest: review.planDigest });
  },
};

async function previewOf({ probe, fixture }: StageInput, spec: JsonObject, name = fixture.name) {
  const body = desiredBody(fixture, spec, { name });
  const answer = await probe.send(previewRequest(body));
  const json = probe.readJson(answer, Preview);
  if (!json) return undefined;
  const { resource, review } = json;
  requireDesired({ probe, answer, resource, body });
  probe.require(review.specDigest === jsonDigest(spec), answer, 'specDigest is not the digest of the spec.');
  return { answer, review };
}

type DesiredInput = Pick<StageInput, 'probe'> & { answer: Answer; resource: Resource; body: unknown };

/** Checks that a Resource is the one that a body describes. */
export function requireDesired({ probe, answer, resource, body }: DesiredInput): void {
  const { apiVersion, kind, form, metadata, spec } = body as ReturnType<typeof desiredBody>;
  const pairs = {
    apiVersion: [resource.apiVersion, apiVersion],
    kind: [resource.kind, kind],
    form: [resource.form, form],
    'metadata.name': [resource.metadata.name, metadata.name],
    'metadata.space': [resource.metadata.space, metadata.space],
    spec: [resource.spec, spec],
  };
  for (const [member, [actual, expected]] of Object.entries(pairs))
    probe.require(isSameJson(actual, expected), answer, `${member} of the Resource is not the one of the request.`);
}

export function requireETag(probe: StageInput['probe'], answer: Answer, resource: Resource): void {
  const expected = `"${resource.metadata.resourceVersion}"`;
  probe.require(answer.headers.etag === expected, answer, 'ETag is not the quoted resourceVersion.');
}

/** Checks the answer of a successful PUT. */
function readWritten({ probe }: StageInput, request: HostRequest, answer: Answer): Written | undefined {
  const resource = probe.readJson(answer, Resource);
  if (!resource) return undefined;
  requireDesired({ probe, answer, resource, body: request.body });
  requireETag(probe, answer, resource);
  const echo = answer.headers['idempotency-key'] === request.headers?.['idempotency-key'];
  probe.require(echo, answer, 'Idempotency-Key is not sent back.');
  return { request, answer, resource };
}

/** Creates and updates the Resource; a request without review, precondition or key changes nothing. */
export const apply: Stage = {
  name: 'apply',
  run: async (input) => {
    const { probe, fixture, progress } = input;
    const planDigest = probe.need(progress.planDigest, 'preview');
    const body = desiredBody(fixture, fixture.spec);
    const reviewed = { ...body, review: { planDigest } };
    const key = withKey(newKey());
    progress.mayExist = true;
    await refuseWrites(input, reviewed);
    const request = putRequest(fixture, reviewed, { ...noneYet, ...key });
    const created = readWritten(input, request, await probe.send(request));
    if (!created) return;
    progress.created = created;
    noteApply(input, created.resource);
    const updated = await update(input, created.resource.metadata.resourceVersion);
    if (!updated) return;
    const isLater =
      BigInt(updated.resource.metadata.resourceVersion) > BigInt(created.resource.metadata.resourceVersion);
    probe.require(isLater, updated.answer, 'resourceVersion is not greater after an update.');
    progress.updated = updated;
    noteApply(input, updated.resource);
  },
};

export function noteApply({ progress }: StageInput, { metadata: { resourceVersion } }: Resource): void {
  progress.resourceVersion = resourceVersion;
  progress.operations.push({ action: 'resource.apply.succeeded', resourceVersion });
}

async function refuseWrites({ probe, fixture }: StageInput, body: { review: { planDigest: string } }): Promise<void> {
  const other = { ...body, review: { planDigest: otherDigest(body.review.planDigest) } };
  const send = (changed: unknown, headers: HostRequest['headers']) => probe.send(putRequest(fixture, changed, headers));
  const key = () => withKey(newKey());
  const stale = '412 resource_version_conflict';
  probe.requireRefusal(await send(other, { ...noneYet, ...key() }), stale);
  probe.requireRefusal(await send(body, key()), stale);
  probe.requireRefusal(
    await send({ ...body, review: undefined }, { ...noneYet, ...key() }),
    '400 invalid_argument',
    stale,
  );
  probe.requireRefusal(await send(body, noneYet), '400 invalid_argument', stale);
  probe.requireRefusal(await send(body, { ...noneYet, ...withKey('short') }), '400 invalid_argument', stale);
}

async function update(input: StageInput, resourceVersion: string): Promise<Written | undefined> {
  const { probe, fixture } = input;
  const precondition = atVersion(resourceVersion);
  const body = desiredBody(fixture, fixture.update, { resourceVersion });
  const reviewed = probe.readJson(await probe.send(previewRequest(body, precondition)), Preview);
  if (!reviewed) return undefined;
  const { planDigest } = reviewed.review;
  const request = putRequest(fixture, { ...body, review: { planDigest } }, { ...precondition, ...withKey(newKey()) });
  return readWritten(input, request, await probe.send(request));
}

/** A completed operation answers its Resource again; anything else with its key, or at another version, is refused. */
export const replay: Stage = {
  name: 'replay',
  run: async (input) => {
    const { probe, fixture, progress } = input;
    const created = probe.need(progress.created, 'apply');
    const updated = probe.need(progress.updated, 'apply');
    const again = readWritten(input, updated.request, await probe.send(updated.request));
    if (again) {
      const isSame = isSameJson(commonOf(again.resource), commonOf(updated.resource));
      probe.require(isSame, again.answer, 'a repeated operation does not answer its Resource again.');
    }
    const answer = await probe.send(created.request);
    const resource = probe.readJson(answer, Resource);
    if (resource) {
      const isSame = isSameJson([resource.form, resource.metadata.name], [fixture.form, fixture.name]);
      probe.require(isSame, answer, 'a repeated create answers another Resource.');
    }
    await refuseConflicts(input, created, updated);
    const read = await probe.send(readRequest(fixture));
    const { resourceVersion } = updated.resource.metadata;
    const version = versionOf(read.json);
    probe.require(version === resourceVersion, read, 'resourceVersion has changed though nothing was written.');
  },
};

async function refuseConflicts({ probe, fixture }: StageInput, created: Written, updated: Written): Promise<void> {
  const stale = '412 resource_version_conflict';
  const body = updated.request.body as object;
  const { 'idempotency-key': key = '', ...precondition } = updated.request.headers ?? {};
  const current = atVersion(updated.resource.metadata.resourceVersion);
  const first = atVersion(created.resource.metadata.resourceVersion);
  const send = async (changed: unknown, headers: HostRequest['headers']) =>
    probe.send(putRequest(fixture, changed, headers));
  const fresh = () => withKey(newKey());
  // The same key with another desired state.
  probe.requireRefusal(await send({ ...body, spec: fixture.spec }, { ...precondition, ...withKey(key) }), stale);
  // A stale version, a create of what exists, and no precondition.
  probe.requireRefusal(await send(body, { ...first, ...fresh() }), stale);
  probe.requireRefusal(await send(created.request.body, { ...noneYet, ...fresh() }), stale);
  probe.requireRefusal(await send(created.request.body, fresh()), stale);
  probe.requireRefusal(await probe.send(previewRequest(desiredBody(fixture, fixture.spec))), stale);
  probe.requireRefusal(await probe.send(previewRequest(desiredBody(fixture, fixture.spec), first)), stale);
  // The version of the body and of the header disagree.
  probe.requireRefusal(await send(body, { ...current, ...fresh() }), '400 invalid_argument', stale);
}
