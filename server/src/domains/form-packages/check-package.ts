import type { JsonSchemas } from '#server/drivers/json-schema/index';
import { createProblems, reportPublicJson, reportPublicText } from '#server/drivers/manifest/index';
import { FormIdentity } from '#shared/form-packages/contract';
import { FormPackage } from '#shared/form-packages/package';
import { boundedJson, findOutOfBounds, isJsonObject, type Json, type JsonObject } from '#shared/kernel/json';
import { formPackageLimits } from '#shared/limits';
import { digestsOf, packageText } from './package-json.ts';
import { type PackageProblem, problemsOf } from './problems.ts';

export type CheckedPackage = {
  /** Empty when the package can be installed. */
  problems: readonly PackageProblem[];
  /** The exact reference that the file claims, valid or not; undefined when it names none. */
  identity: FormIdentity | undefined;
  /** Absent with a problem. */
  package?: FormPackage;
};

/** Checks a package: shape, digests, Interfaces and schema. Every problem is reported, up to a maximum. */
export async function checkPackage(json: Json, schemas: Pick<JsonSchemas, 'check'>): Promise<CheckedPackage> {
  const identity = claimedIdentity(json);
  const size = sizeProblem(json);
  if (size) return { identity, problems: [size] };
  const parsed = FormPackage.safeParse(json);
  const object = isJsonObject(json) ? json : {};
  const digests = digestProblems(object);
  const shape = parsed.success ? [] : problemsOf(parsed.error.issues);
  const problems = onePerPointer([
    ...shape.filter(({ pointer }) => !digests.some((problem) => problem.pointer === pointer)),
    ...publicProblems(object),
    ...(await schemaProblems(object['desiredSchema'], schemas)),
    ...digests,
  ]);
  if (!parsed.success || problems.length > 0)
    return { identity, problems: problems.slice(0, formPackageLimits.problems) };
  return { identity, problems, package: parsed.data };
}

/** The file that an installation writes must be one that the next start reads. */
function sizeProblem(json: Json): PackageProblem | undefined {
  const { depth, nodes, fileBytes } = formPackageLimits;
  const pointer = findOutOfBounds(json, { ...boundedJson, depth, nodes });
  if (pointer !== undefined) return { pointer, message: 'It is nested too deeply, or too large.' };
  if (Buffer.byteLength(packageText(json)) <= fileBytes) return undefined;
  return { pointer: '', message: `It is larger than ${fileBytes} bytes as an indented file. Shorten it.` };
}

const onePerPointer = (problems: readonly PackageProblem[]): PackageProblem[] => {
  const byPointer = new Map<string, PackageProblem>();
  for (const problem of problems) if (!byPointer.has(problem.pointer)) byPointer.set(problem.pointer, problem);
  return [...byPointer.values()];
};

function claimedIdentity(json: Json): FormIdentity | undefined {
  if (!isJsonObject(json)) return undefined;
  const { formRef, packageDigest } = json;
  return FormIdentity.safeParse({ formRef, packageDigest }).data;
}

function digestProblems(json: JsonObject): PackageProblem[] {
  const { schemaDigest, packageDigest } = digestsOf(json);
  const { formRef, desiredSchema } = json;
  const problems: PackageProblem[] = [];
  if (isJsonObject(formRef) && desiredSchema !== undefined && formRef['schemaDigest'] !== schemaDigest)
    problems.push({
      pointer: '/formRef/schemaDigest',
      message: `It is not the digest of desiredSchema. ${fillRemedy}`,
    });
  if (json['packageDigest'] !== packageDigest)
    problems.push({
      pointer: '/packageDigest',
      message: `It is not the digest of this file, which was changed or never had one. ${fillRemedy}`,
    });
  return problems;
}

const fillRemedy = 'Run `groundctl forms lint --write` to fill it in.';

/** Everyone in a Workspace reads the texts of a package and its Interfaces. */
function publicProblems({ displayName, description, interfaces }: JsonObject): PackageProblem[] {
  const { report, list } = createProblems();
  if (typeof displayName === 'string') reportPublicText(displayName, ['displayName'], report);
  if (typeof description === 'string') reportPublicText(description, ['description'], report);
  if (Array.isArray(interfaces))
    interfaces.forEach((blueprint: Json, at) => {
      if (!isJsonObject(blueprint)) return;
      const { labels, spec } = blueprint;
      if (labels !== undefined) reportPublicLabels(labels, ['interfaces', at, 'labels'], report);
      if (isJsonObject(spec)) reportPublicSpec(spec, ['interfaces', at, 'spec'], report);
    });
  return list().map(({ pointer, message }) => ({ pointer, message }));
}

type Report = Parameters<typeof reportPublicText>[2];
type At = Parameters<typeof reportPublicText>[1];

function reportPublicLabels(labels: Json, at: At, report: Report): void {
  if (!isJsonObject(labels)) return;
  for (const [name, text] of Object.entries(labels))
    if (typeof text === 'string') reportPublicText(text, [...at, name], report);
}

function reportPublicSpec({ document, documentSchema, inputs }: JsonObject, at: At, report: Report): void {
  if (document !== undefined) reportPublicJson(document, [...at, 'document'], report);
  if (documentSchema !== undefined) reportPublicJson(documentSchema, [...at, 'documentSchema'], report);
  if (!isJsonObject(inputs)) return;
  for (const [name, input] of Object.entries(inputs))
    if (isJsonObject(input) && input['value'] !== undefined)
      reportPublicJson(input['value'], [...at, 'inputs', name, 'value'], report);
}

async function schemaProblems(
  schema: Json | undefined,
  schemas: Pick<JsonSchemas, 'check'>,
): Promise<PackageProblem[]> {
  if (schema === undefined) return [];
  const found = await schemas.check(schema);
  if ('failure' in found) return [{ pointer: '/desiredSchema', message: found.failure }];
  return found.map(({ pointer, message }) => ({ pointer: `/desiredSchema${pointer}`, message }));
}
