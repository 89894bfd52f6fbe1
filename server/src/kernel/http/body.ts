import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ArgumentReason } from '#shared/errors';
import { escapePointer, JsonError, parseStrictJson } from '#shared/kernel/json';
import { AppError, invalidArgument } from '../errors.ts';

const mediaType = /^application\/json(?:\s*;\s*charset="?utf-8"?)?$/i;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns the JSON object of a request, or `{}` without a body. Throws 415 and 400. */
export function readJsonBody(request: FastifyRequest): unknown {
  const bytes = request.body as Buffer | undefined;
  const type = request.headers['content-type'];
  if (!bytes || bytes.length === 0) return {};
  if (type !== undefined && !mediaType.test(type.trim()))
    throw new AppError('unsupported_media_type', 'Send the body as application/json.');
  try {
    return parseStrictJson(utf8.decode(bytes));
  } catch (error) {
    throw new AppError(
      'invalid_json',
      error instanceof JsonError ? error.message : 'The body is not UTF-8. Encode it as UTF-8.',
    );
  }
}

/**
 * Parses a part of a request with its schema. Throws 400 `invalid_request`, or `invalid_argument` with a reason, that
 * names the first error by JSON Pointer, never its value.
 */
export function parsePart<S extends z.ZodType>(schema: S, value: unknown, failsAs?: ArgumentReason): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const keys = issue?.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : (issue?.path ?? []);
  const field = keys.map((key) => `/${escapePointer(String(key))}`).join('');
  if (failsAs !== undefined) throw invalidArgument(failsAs, messageOf(issue, field), { field });
  throw new AppError('invalid_request', messageOf(issue, field), { details: { field } });
}

function messageOf(issue: z.core.$ZodIssue | undefined, field: string): string {
  const subject = field === '' ? 'The body' : `The field ${field}`;
  if (issue?.code === 'unrecognized_keys') return `${subject} is unknown. Leave it out.`;
  if (issue?.code === 'invalid_type' && issue.input === undefined)
    return `${subject} is missing or has the wrong type: ${issue.expected} is expected.`;
  if (issue?.code === 'invalid_value') return `${subject} must be one of: ${issue.values.map(String).join(', ')}.`;
  return `${subject} does not have the shape that this route expects. See /docs/api.`;
}
