import { jsonDigest } from '../src/kernel/digest.ts';

const desiredSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { greeting: { type: 'string', maxLength: 40 }, repeat: { type: 'integer', minimum: 1 } },
  required: ['greeting'],
  additionalProperties: false,
};

/** A form package of the tests with its digests. */
export function greetingPackage() {
  const formRef = {
    apiVersion: 'greetings.example/v1',
    kind: 'Greeting',
    definitionVersion: '1.2.0',
    schemaDigest: jsonDigest(desiredSchema),
  };
  const contents = {
    kind: 'svc.form-package@v1',
    formRef,
    desiredSchema,
    operations: ['preview', 'apply', 'import', 'read', 'observe', 'refresh', 'delete'],
    executable: true,
    deprecated: false,
    activation: { spaces: ['*'] },
  };
  return { ...contents, packageDigest: jsonDigest(contents) };
}

/** Text that a refusal must not repeat. */
export const secretGreeting = 'greeting-that-no-refusal-repeats-in-its-message';

/** Fixture of a check of that form. */
export function greetingFixture(space: string) {
  const { formRef, packageDigest } = greetingPackage();
  return {
    kind: 'svc.form-conformance-fixture@v1' as const,
    form: { formRef, packageDigest },
    space,
    name: 'conformance',
    spec: { greeting: 'good morning', repeat: 1 },
    update: { greeting: 'good evening', repeat: 12 },
    invalid: [
      { title: 'greeting is too long', spec: { greeting: secretGreeting } },
      { title: 'greeting is missing', spec: { repeat: 1 } },
      { title: 'unknown member', spec: { greeting: 'good night', volume: 'deafening-volume' } },
    ],
  };
}

type Spec = Record<string, unknown>;

/** The schema of that form, for a host without a validator. */
export const isValidGreeting = ({ greeting, ...rest }: Spec): boolean =>
  typeof greeting === 'string' &&
  greeting.length <= 40 &&
  Object.entries(rest).every(([name, value]) => name === 'repeat' && Number(value) >= 1);
