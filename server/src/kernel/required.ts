/**
 * Returns a value that an earlier step has set. Throws when it is missing, because the code that calls it is wrong then;
 * input of a caller is refused with an `AppError` instead.
 */
export function required<T>(value: T | null | undefined, name: string): T {
  if (value === null || value === undefined) throw new Error(`The ${name} is not known at this step.`);
  return value;
}
