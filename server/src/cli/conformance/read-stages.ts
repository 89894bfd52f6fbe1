import { randomBytes } from 'node:crypto';
import type { Answer } from './host-client.ts';
import { isSameJson } from './json.ts';
import { StageStopped } from './probe.ts';
import { apiPath, compatibilityPath, compatibilityResourcePath, desiredBody, readRequest } from './requests.ts';
import { CompatibilityPreview, commonOf, Events, Resource, Resources, SingleResource } from './shapes.ts';
import type { Stage, StageInput } from './stage.ts';
import { noteApply, requireDesired, requireETag } from './write-stages.ts';

/** The Resource is read as it was written, alone and in the list of its space. */
export const read: Stage = {
  name: 'read',
  run: async (input) => {
    const { probe, fixture, progress } = input;
    const { request, resource: written } = probe.need(progress.updated, 'apply');
    const answer = await probe.send(readRequest(fixture));
    const resource = probe.readJson(answer, Resource);
    if (resource) {
      requireDesired({ probe, answer, resource, body: request.body });
      requireETag(probe, answer, resource);
      const isCurrent = resource.metadata.resourceVersion === written.metadata.resourceVersion;
      probe.require(isCurrent, answer, 'resourceVersion is not that of the last write.');
    }
    const { matches, answer: page } = await readFromList(input, `${apiPath}/resources`);
    probe.require(matches.length === 1, page, `the list has the Resource ${matches.length} times.`);
    if (resource && matches[0]) probe.require(isSameJson(matches[0], resource), page, 'the list has another Resource.');
    const other = await probe.send(readRequest(fixture, { name: `${fixture.name}-absent` }));
    probe.requireRefusal(other, '404 resource_not_found');
  },
};

/** A host with more pages than this does not end its list. */
const mostPages = 1_000;

/** Returns the Resources of the list that have kind and name of the fixture, and the last page. */
export async function readFromList(
  { probe, fixture: { space, name, form } }: StageInput,
  path: string,
): Promise<{ matches: Resource[]; answer: Answer }> {
  const matches: Resource[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const query = { space, limit: '100', ...(cursor !== undefined && { cursor }) };
    const answer = await probe.send({ method: 'GET', path, query });
    const page = probe.readJson(answer, Resources);
    if (!page) throw new StageStopped('Not executed further: the list of Resources cannot be read.');
    const isMatch = ({ kind, metadata }: Resource) => kind === form.formRef.kind && metadata.name === name;
    matches.push(...page.resources.filter(isMatch));
    cursor = page.nextCursor;
    if (cursor === undefined) return { matches, answer };
  }
  throw new StageStopped('The list of Resources does not end.');
}

/** The compatibility routes read and write the same Resource. */
export const parity: Stage = {
  name: 'compatibility-parity',
  run: async (input) => {
    const { probe, fixture, progress } = input;
    probe.need(progress.updated, 'apply');
    await requireParity(input);
    const path = compatibilityResourcePath(fixture, fixture.name);
    const { form: _, ...body } = desiredBody(fixture, fixture.spec);
    const query = { space: fixture.space };
    const previewPath = `${compatibilityPath}/resources/preview`;
    const preview = await probe.send({ method: 'POST', path: previewPath, query, body });
    const previewed = probe.readJson(preview, CompatibilityPreview);
    const desired = desiredBody(fixture, fixture.spec);
    if (previewed) requireDesired({ probe, answer: preview, resource: previewed.resource, body: desired });
    const answer = await probe.send({ method: 'PUT', path, query, body });
    const resource = probe.readJson(answer, SingleResource)?.resource;
    if (resource) {
      requireDesired({ probe, answer, resource, body: desired });
      noteApply(input, resource);
    }
    await requireParity(input);
    await refuseUnknown(input);
  },
};

async function requireParity(input: StageInput): Promise<void> {
  const { probe, fixture, progress } = input;
  const exact = await probe.send(readRequest(fixture));
  const path = compatibilityResourcePath(fixture, fixture.name);
  const query = { space: fixture.space };
  const legacy = await probe.send({ method: 'GET', path, query });
  const resource = probe.readJson(legacy, SingleResource)?.resource;
  if (!resource || exact.status !== 200)
    return probe.fail(exact, 'the Resource cannot be compared with that of the compatibility routes.');
  const isSame = isSameJson(commonOf((exact.json ?? {}) as Resource), commonOf(resource));
  probe.require(isSame, legacy, 'the Resource differs from that of the exact protocol.');
  const isCurrent = resource.metadata.resourceVersion === progress.resourceVersion;
  probe.require(isCurrent, legacy, 'resourceVersion is not that of the last write.');
  const { matches, answer } = await readFromList(input, `${compatibilityPath}/resources`);
  const isListed = matches.length === 1 && isSameJson(matches[0], resource);
  probe.require(isListed, answer, 'the list does not have exactly this Resource.');
}

async function refuseUnknown({ probe, fixture }: StageInput): Promise<void> {
  const query = { space: fixture.space };
  const kind = `Absent${randomBytes(8).toString('hex')}`;
  const unknown = await probe.send({ method: 'GET', path: `${compatibilityPath}/resources/${kind}/absent`, query });
  probe.requireRefusal(unknown, '404 form_unknown', '404 resource_not_found');
  const { form: _, ...body } = { ...desiredBody(fixture, fixture.spec), kind };
  const preview = await probe.send({ method: 'POST', path: `${compatibilityPath}/resources/preview`, query, body });
  probe.requireRefusal(preview, '404 form_unknown');
  const outside = await probe.send({ method: 'GET', path: `${compatibilityPath}/unknown` });
  probe.requireRefusal(outside, '404 resource_not_found');
}

/** The events name each completed operation once, oldest first. A repeated or refused request leaves none. */
export const audit: Stage = {
  name: 'audit',
  run: async ({ probe, fixture, progress: { operations, resourceVersion } }) => {
    probe.need(resourceVersion, 'apply');
    const answer = await probe.send(readRequest(fixture, { action: 'events' }));
    const events = probe.readJson(answer, Events)?.events;
    if (!events) return;
    const ids = new Set(events.map(({ id }) => id));
    probe.require(ids.size === events.length, answer, 'two events have one id.');
    const times = events.map(({ createdAt }) => createdAt);
    probe.require(isSameJson(times, times.toSorted()), answer, 'the events are not ordered oldest first.');
    // An earlier Resource of this name may have left events before these.
    const own = events.slice(-operations.length).map(({ action, resourceVersion }) => ({ action, resourceVersion }));
    probe.require(isSameJson(own, operations), answer, 'the events are not the operations that were completed.');
    const actors = new Set(events.slice(-operations.length).map(({ actorId }) => actorId));
    probe.require(actors.size <= 1, answer, 'the events name several actors, though one principal did everything.');
  },
};
