import { FormPackage } from '#shared/form-packages/package';
import { formPackageJson, identityOf } from './form-package.ts';

const desiredSchema = {
  type: 'object',
  properties: { greeting: { type: 'string', maxLength: 40 }, repeat: { type: 'integer', minimum: 1 } },
  required: ['greeting'],
  additionalProperties: false,
};

/** The form package of that schema, as JSON and parsed. */
export const greetingPackageJson = formPackageJson({
  formRef: { apiVersion: 'greetings.example/v1', kind: 'Greeting', definitionVersion: '1.2.0', schemaDigest: '' },
  displayName: 'Greeting',
  desiredSchema,
});
const form = identityOf(FormPackage.parse(greetingPackageJson));

/** Text that a refusal must not repeat. */
export const secretGreeting = 'greeting-that-no-refusal-repeats-in-its-message';

/** Fixture of a check of that form. */
export function greetingFixture(space: string) {
  return {
    kind: 'svc.form-conformance-fixture@v1' as const,
    form,
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
