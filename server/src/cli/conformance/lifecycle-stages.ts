import type { HostRequest } from './host-client.ts';
import { isSameJson } from './json.ts';
import { requireNoStore } from './probe.ts';
import { readFromList } from './read-stages.ts';
import {
  apiPath,
  atVersion,
  compatibilityResourcePath,
  desiredBody,
  exactQuery,
  newKey,
  noneYet,
  previewRequest,
  readRequest,
  resourcePath,
  withKey,
} from './requests.ts';
import { commonOf, Preview, type Resource, SingleResource, versionOf } from './shapes.ts';
import type { Stage, StageInput } from './stage.ts';

const stale = '412 resource_version_conflict';
const importName = (name: string): string => `${name}-import`;

/** Observe and refresh: the generation stays, and a repeated call answers the same Resource. */
const lifecycle = (action: 'observe' | 'refresh'): Stage => ({
  name: action,
  run: async (input) => {
    const { probe, fixture, progress } = input;
    const resourceVersion = probe.need(progress.resourceVersion, 'apply');
    const query = exactQuery(fixture.form, fixture.space);
    const path = resourcePath(fixture, fixture.name, action);
    const send = (headers: HostRequest['headers'] = {}) => probe.send({ method: 'POST', path, query, headers });
    const key = withKey(newKey());
    probe.requireRefusal(await send(key), stale);
    probe.requireRefusal(await send({ ...atVersion(otherThan(resourceVersion)), ...key }), stale);
    probe.requireRefusal(await send(atVersion(resourceVersion)), '400 invalid_argument', stale);
    const answer = await send({ ...atVersion(resourceVersion), ...key });
    if (answer.status === 200) progress.operations.push({ action: `resource.${action}.succeeded`, resourceVersion });
    const resource = probe.readJson(answer, SingleResource)?.resource;
    if (!resource) return;
    const read = await probe.send(readRequest(fixture));
    const current = (read.json ?? {}) as Resource;
    probe.require(resource.status !== undefined, answer, 'status is missing.');
    probe.require(resource.status?.observed.ready !== false, answer, 'the Resource is not ready.');
    probe.require(resource.metadata.resourceVersion === resourceVersion, answer, 'the generation does not stay.');
    probe.require(
      isSameJson(commonOf(current), commonOf(resource)),
      answer,
      'the Resource is not the one that is read afterwards.',
    );
    const again = probe.readJson(await send({ ...atVersion(resourceVersion), ...key }), SingleResource);
    if (again) probe.require(isSameJson(again.resource, resource), answer, 'a repeated call answers another Resource.');
  },
});
export const observe = lifecycle('observe');
export const refresh = lifecycle('refresh');

const otherThan = (resourceVersion: string): string => `${BigInt(resourceVersion) + 1n}`;

/** A native object is imported once: the same call again answers its Resource, and every other call is refused. */
export const importReplay: Stage = {
  name: 'import-replay',
  run: async (input) => {
    const { probe, fixture, progress, nativeId } = input;
    const name = importName(fixture.name);
    const body = desiredBody(fixture, fixture.spec, { name });
    const preview = probe.readJson(await probe.send(previewRequest(body)), Preview);
    const review = { planDigest: probe.need(preview?.review.planDigest, 'import-replay') };
    const send = (id: string | undefined, headers: Record<string, string>, to = name) =>
      probe.send({
        method: 'POST',
        path: resourcePath(fixture, to, 'import'),
        headers,
        body: { ...desiredBody(fixture, fixture.spec, { name: to }), ...(to === name && { review }), nativeId: id },
      });
    const key = withKey(newKey());
    const fresh = () => ({ ...noneYet, ...withKey(newKey()) });
    probe.requireRefusal(await send(nativeId, key), stale);
    probe.requireRefusal(await send(nativeId, noneYet), '400 invalid_argument', stale);
    probe.requireRefusal(await send(`absent-${newKey()}`, fresh()), '404 resource_not_found');
    progress.mayBeImported = true;
    const answer = await send(nativeId, { ...noneYet, ...key });
    const resource = probe.readJson(answer, SingleResource)?.resource;
    if (!resource) return;
    const { metadata, form } = resource;
    probe.require(metadata.name === name && isSameJson(form, fixture.form), answer, 'another Resource is answered.');
    probe.require(resource.status?.observed.imported !== false, answer, 'the Resource is not marked as imported.');
    const again = probe.readJson(await send(nativeId, { ...noneYet, ...key }), SingleResource);
    if (again)
      probe.require(isSameJson(again.resource, resource), answer, 'a repeated import answers another Resource.');
    probe.requireRefusal(await send(`absent-${newKey()}`, { ...noneYet, ...key }), stale);
    probe.requireRefusal(await send(nativeId, fresh()), stale);
    probe.requireRefusal(await send(nativeId, fresh(), `${fixture.name}-absent`), '409 import_conflict');
  },
};

/** Deletes what this check created. Deleting again succeeds, and the Resource is gone on every route. */
export const idempotentDelete: Stage = {
  name: 'idempotent-delete',
  run: async (input) => {
    const { probe, fixture, progress } = input;
    probe.need(progress.mayExist, 'apply');
    await deleteResource(input, fixture.name);
    if (progress.mayBeImported) await deleteResource(input, importName(fixture.name));
    const query = { space: fixture.space };
    const legacy = compatibilityResourcePath(fixture, fixture.name);
    const removed = await probe.send({ method: 'GET', path: legacy, query });
    probe.requireRefusal(removed, '404 resource_not_found');
    const { matches, answer } = await readFromList(input, `${apiPath}/resources`);
    probe.require(matches.length === 0, answer, 'the list has the deleted Resource.');
  },
};

async function deleteResource({ probe, fixture }: StageInput, name: string): Promise<void> {
  const read = await probe.send(readRequest(fixture, { name }));
  const version = versionOf(read.json);
  const resourceVersion = probe.need(version, 'apply');
  const path = resourcePath(fixture, name);
  const query = exactQuery(fixture.form, fixture.space);
  const send = (headers: HostRequest['headers'] = {}) => probe.send({ method: 'DELETE', path, query, headers });
  const key = withKey(newKey());
  probe.requireRefusal(await send(key), stale);
  probe.requireRefusal(await send({ ...atVersion(otherThan(resourceVersion)), ...key }), stale);
  probe.requireRefusal(await send(atVersion(resourceVersion)), '400 invalid_argument', stale);
  const exact = { ...atVersion(resourceVersion), ...key };
  for (const headers of [exact, exact, { ...atVersion(resourceVersion), ...withKey(newKey()) }]) {
    const answer = await send(headers);
    probe.require(answer.status === 204, answer, `expected 204, received ${answer.status}.`);
    probe.require(answer.text === '', answer, 'the answer has a body.');
    requireNoStore(answer, probe.require);
  }
  probe.requireRefusal(await probe.send(readRequest(fixture, { name })), '404 resource_not_found');
}
