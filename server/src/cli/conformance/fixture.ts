import { z } from 'zod';
import { isContainer, JsonError, type JsonObject, parseStrictJson } from '#shared/kernel/json';
import { isSameJson } from './json.ts';

const fixtureKind = 'svc.form-conformance-fixture@v1';

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const text = z.string().min(1).max(128);
const spec = z.custom<JsonObject>((value) => isContainer(value as JsonObject) && !Array.isArray(value));

/** The name leaves space for `-import` and `-absent`, which name the other Resources of a check. */
const name = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,54}[a-z0-9])?$/);

/** Input of a check: an exact form reference, and a Resource of it. */
const Fixture = z.strictObject({
  kind: z.literal(fixtureKind),
  form: z.strictObject({
    formRef: z.strictObject({
      apiVersion: text,
      kind: z.string().regex(/^[A-Z][A-Za-z0-9]{0,63}$/),
      definitionVersion: text,
      schemaDigest: digest,
    }),
    packageDigest: digest,
  }),
  /** Id or handle of a Workspace; a caller may name another one. */
  space: text.optional(),
  name,
  /** Desired state that is created. */
  spec,
  /** Another desired state, which the Resource is updated to. */
  update: spec,
  /** Desired states that the form refuses. */
  invalid: z
    .array(z.strictObject({ title: z.string().min(1).max(120), spec }))
    .min(1)
    .max(100),
});
export type Fixture = z.infer<typeof Fixture> & { space: string };
export type FormIdentity = Fixture['form'];

/** Thrown for a fixture that cannot be used; the message never holds a value of it. */
export class FixtureError extends Error {}

/** Parses a fixture; `space` replaces that of the file. Throws `FixtureError`. */
export function parseFixture(json: string, { space }: { space?: string | undefined } = {}): Fixture {
  const { success, data, error } = Fixture.safeParse(parseJson(json));
  if (!success) throw new FixtureError(problemOf(error.issues[0]));
  if (isSameJson(data.spec, data.update))
    throw new FixtureError('Its members "spec" and "update" are equal. Give two different desired states.');
  const named = space ?? data.space;
  if (named === undefined) throw new FixtureError('It names no space. Add the member "space", or use --space.');
  return { ...data, space: named };
}

function problemOf(issue: z.core.$ZodIssue | undefined): string {
  const pointer = (issue?.path ?? []).map((part) => `/${String(part)}`).join('');
  return issue?.code === 'unrecognized_keys'
    ? `Its member "${pointer}/${issue.keys[0]}" is not one of a fixture. Remove it.`
    : `Its member "${pointer || '/'}" is missing or not as the documentation says.`;
}

function parseJson(json: string): unknown {
  try {
    return parseStrictJson(json);
  } catch (error) {
    if (error instanceof JsonError) throw new FixtureError(error.message);
    throw error;
  }
}
