import { expect, it } from 'vitest';
import { readDiagnostic } from './diagnostic.ts';

const refused = (snippet: object) =>
  readDiagnostic({
    severity: 'error',
    summary: 'Invalid value for variable',
    detail: 'At most nine seats.\n\nThis was checked by the validation rule at main.tf:3,3-13.',
    snippet: { values: [{ traversal: 'var.seats', statement: 'is 900' }], ...snippet },
  });

it('names the variable whose validation rule refused a value, for OpenTofu and Terraform', () => {
  expect(refused({ context: null, code: 'variable "seats" {' })?.variable).toBe('seats');
  expect(refused({ context: null, code: '{"seats":900}' })?.variable).toBe('seats');
});

it('keeps no line of a file, because a line can hold a value', () => {
  expect(JSON.stringify(refused({ context: null, code: '{"seats":900}' }))).not.toContain('900');
});

it('names no variable when an error has another cause', () => {
  const diagnostic = readDiagnostic({
    severity: 'error',
    summary: 'Unsupported argument',
    snippet: { context: 'resource "a" "b"', code: '  x = var.y', values: [{ traversal: 'var.y' }] },
  });
  expect(diagnostic?.variable).toBeUndefined();
});
