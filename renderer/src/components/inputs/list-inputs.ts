import type { VariableDeclaration } from '#shared/sources/module-scan';
import { type Input, inputOf } from './entry.ts';
import { inOrder, isUserInput, type ManifestForm } from './presented-form.ts';

/** Inputs in the order of the page: required ones first. */
const inRows = (inputs: readonly Input[]): Input[] => [
  ...inputs.filter(({ isRequired }) => isRequired),
  ...inputs.filter(({ isRequired }) => !isRequired),
];

/** All variables of the module, or those that its manifest presents. */
export function listInputs(
  declarations: readonly VariableDeclaration[],
  { sealedNames, form }: { sealedNames: readonly string[] | undefined; form: ManifestForm | undefined },
): Input[] {
  if (!form) return inRows(declarations.map((declared) => inputOf(declared, sealedNames)));
  const known = new Map(declarations.map((declared) => [declared.name, declared]));
  const userInputs = form.fields.filter(isUserInput).flatMap((field) => {
    const declared = known.get(field.name);
    return declared ? [inputOf(declared, sealedNames, field)] : [];
  });
  return inOrder(form, userInputs);
}
