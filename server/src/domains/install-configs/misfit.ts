import type { Json } from '#shared/kernel/json';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { parseType } from '#shared/variables/type-expression';
import { checkValue } from '#shared/variables/value';

/** Returns where and why a value does not fit the declared type. A type that cannot be parsed accepts any value. */
export function findMisfit(
  declared: VariableDeclaration,
  value: Json,
): { pointer: string; message: string } | undefined {
  const type = declared.typeText === undefined ? undefined : parseType(declared.typeText);
  const check = type && checkValue(type, value, { nullable: declared.nullable ?? true });
  if (!check || check.ok) return undefined;
  const at = check.pointer && ` at ${check.pointer}`;
  return {
    pointer: check.pointer,
    message: `The variable "${declared.name}"${at} does not fit its type. ${check.message}`,
  };
}
