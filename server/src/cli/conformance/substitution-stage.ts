import type { FormIdentity } from './fixture.ts';
import type { HostRequest } from './host-client.ts';
import type { Refusal } from './probe.ts';
import {
  atVersion,
  desiredBody,
  exactQuery,
  newKey,
  noneYet,
  previewRequest,
  readRequest,
  resourcePath,
  substitutions,
  withKey,
} from './requests.ts';
import { versionOf } from './shapes.ts';
import type { Stage, StageInput } from './stage.ts';

/** A form reference with one other or one missing member is refused on every route, and nothing is changed. */
export const digestSubstitution: Stage = {
  name: 'digest-substitution',
  run: async (input) => {
    const { probe, fixture, progress } = input;
    const resourceVersion = probe.need(progress.resourceVersion, 'apply');
    for (const { member, form } of substitutions(fixture.form)) {
      // Where the kind differs, the host may refuse the disagreement with the path, or find no such Resource.
      const isKind = member === 'kind';
      const conflict: Refusal[] = ['409 form_identity_conflict', ...(isKind ? kindRefusals : [])];
      const unknown: Refusal[] = ['404 form_unknown', ...(isKind ? kindRefusals : [])];
      for (const request of existingRequests(input, form, resourceVersion))
        probe.requireRefusal(await probe.send(request), ...conflict);
      for (const request of absentRequests(input, form)) probe.requireRefusal(await probe.send(request), ...unknown);
    }
    await refusePartial(input, resourceVersion);
    const answer = await probe.send(readRequest(fixture));
    const version = versionOf(answer.json);
    probe.require(version === resourceVersion, answer, 'the Resource was changed under another form reference.');
  },
};

const kindRefusals: Refusal[] = ['400 invalid_argument', '404 form_unknown'];
const review = { planDigest: `sha256:${'0'.repeat(64)}` };

/** Calls with the reference in the query, valid but for it. */
function queryRequests({ fixture }: StageInput, query: Record<string, string>, resourceVersion: string): HostRequest[] {
  const path = resourcePath(fixture, fixture.name);
  const headers = () => ({ ...atVersion(resourceVersion), ...withKey(newKey()) });
  return [
    { method: 'GET', path, query },
    { method: 'GET', path: `${path}/events`, query },
    { method: 'POST', path: `${path}/observe`, query, headers: headers() },
    { method: 'POST', path: `${path}/refresh`, query, headers: headers() },
    { method: 'DELETE', path, query, headers: headers() },
  ];
}

function existingRequests(input: StageInput, form: FormIdentity, resourceVersion: string): HostRequest[] {
  const { fixture } = input;
  const body = desiredBody(fixture, fixture.update, { form });
  const precondition = atVersion(resourceVersion);
  const path = resourcePath(fixture, fixture.name);
  return [
    ...queryRequests(input, exactQuery(form, fixture.space), resourceVersion),
    previewRequest(body, precondition),
    { method: 'PUT', path, headers: { ...precondition, ...withKey(newKey()) }, body: { ...body, review } },
    {
      method: 'POST',
      path: `${path}/import`,
      headers: { ...noneYet, ...withKey(newKey()) },
      body: { ...body, nativeId: 'absent' },
    },
  ];
}

function absentRequests({ fixture }: StageInput, form: FormIdentity): HostRequest[] {
  const name = `${fixture.name}-absent`;
  const body = desiredBody(fixture, fixture.spec, { form, name });
  const path = resourcePath(fixture, name);
  const headers = () => ({ ...noneYet, ...withKey(newKey()) });
  return [
    readRequest(fixture, { name, form }),
    previewRequest(body),
    { method: 'PUT', path, headers: headers(), body: { ...body, review } },
    { method: 'POST', path: `${path}/import`, headers: headers(), body: { ...body, nativeId: 'absent' } },
  ];
}

async function refusePartial(input: StageInput, resourceVersion: string): Promise<void> {
  const { probe, fixture } = input;
  const whole = exactQuery(fixture.form, fixture.space);
  for (const missing of Object.keys(whole)) {
    const { [missing]: _, ...query } = whole;
    for (const request of queryRequests(input, query, resourceVersion))
      probe.requireRefusal(await probe.send(request), '400 invalid_argument');
  }
}
