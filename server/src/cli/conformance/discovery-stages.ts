import type { FormIdentity } from './fixture.ts';
import { isSameJson } from './json.ts';
import { StageStopped } from './probe.ts';
import { apiPath, compatibilityPath, exactQuery, protocolVersion, substitutions } from './requests.ts';
import { Capabilities, Discovery, type FormRecord, Forms } from './shapes.ts';
import type { Stage, StageInput } from './stage.ts';

/** The document that says where the host is. Its addresses are those of the endpoint itself, which gets the token. */
export const discovery: Stage = {
  name: 'discovery',
  run: async ({ probe, endpoint }) => {
    const answer = await probe.send({ method: 'GET', path: '/.well-known/formhost', credential: 'none' });
    const document = probe.readJson(answer, Discovery, { isStored: true });
    if (document) {
      const { api, forms, capabilities, compatibility_api: compatibility } = document.endpoints;
      const requireUrl = (name: string, url: string, path: string) =>
        probe.require(url === `${endpoint}${path}`, answer, `endpoints.${name} is not ${path} of this endpoint.`);
      probe.require(
        isSameJson(document.api_versions, [protocolVersion]),
        answer,
        `api_versions is not exactly ${protocolVersion}.`,
      );
      requireUrl('api', api, apiPath);
      requireUrl('forms', forms, `${apiPath}/forms`);
      requireUrl('capabilities', capabilities, `${compatibilityPath}/capabilities`);
      requireUrl('compatibility_api', compatibility, compatibilityPath);
    }
    const capabilities = await probe.send({ method: 'GET', path: `${compatibilityPath}/capabilities` });
    probe.readJson(capabilities, Capabilities);
  },
};

/** A host with more pages than this does not end its list. */
const mostPages = 200;

/** The exact form is listed once, and is available; another reference is never answered as this one. */
export const exactAvailability: Stage = {
  name: 'exact-availability',
  run: async (input) => {
    const { probe, fixture } = input;
    const all = await readAllForms(input);
    const listed = all.filter(({ identity }) => isSameJson(identity, fixture.form));
    const exact = await probe.send({
      method: 'GET',
      path: `${apiPath}/forms`,
      query: exactQuery(fixture.form, fixture.space),
    });
    probe.require(listed.length === 1, exact, `the list without a filter has the exact form ${listed.length} times.`);
    const records = probe.readJson(exact, Forms)?.forms;
    if (!records) return;
    const [record] = records;
    if (!record || records.length !== 1 || !isSameJson(record.identity, fixture.form))
      return probe.fail(exact, 'the answer is not the one record of the exact form.');
    for (const flag of availableFlags) probe.require(record[flag], exact, `${flag} is false for the exact form.`);
    for (const { member, form } of substitutions(fixture.form)) await requireUnavailable(input, member, form);
  },
};

const availableFlags = ['definitionKnown', 'installed', 'executable', 'activated', 'availableToPrincipal'] as const;

async function requireUnavailable({ probe, fixture }: StageInput, member: string, form: FormIdentity): Promise<void> {
  const answer = await probe.send({ method: 'GET', path: `${apiPath}/forms`, query: exactQuery(form, fixture.space) });
  const records = probe.readJson(answer, Forms)?.forms ?? [];
  const areExact = records.every(({ identity }) => isSameJson(identity, form));
  probe.require(areExact, answer, `a reference with another ${member} is answered with a form that was not named.`);
  const isAvailable = records.some((record) => availableFlags.every((flag) => record[flag]));
  probe.require(!isAvailable, answer, `a reference with another ${member} is available.`);
}

async function readAllForms({ probe, fixture: { space } }: StageInput): Promise<FormRecord[]> {
  const all: FormRecord[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const query = { space, limit: '2', ...(cursor !== undefined && { cursor }) };
    const answer = await probe.send({ method: 'GET', path: `${apiPath}/forms`, query });
    const page = probe.readJson(answer, Forms);
    if (!page) throw new StageStopped('Not executed further: the list of forms cannot be read.');
    probe.require(page.forms.length <= 2, answer, 'a page has more records than its limit.');
    all.push(...page.forms);
    cursor = page.nextCursor;
    if (cursor === undefined) return all;
  }
  throw new StageStopped('The list of forms does not end.');
}
