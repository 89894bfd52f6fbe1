import type { ErrorCode } from './errors.ts';

/** Every error code of the form host protocol with its HTTP status. */
export const formErrorStatus = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  policy_denied: 403,
  form_unknown: 404,
  resource_not_found: 404,
  resource_busy: 409,
  import_conflict: 409,
  form_identity_conflict: 409,
  form_not_installed: 409,
  interface_identity_ambiguous: 409,
  interface_instance_ambiguous: 409,
  resource_version_conflict: 412,
  internal_error: 500,
  form_unavailable: 503,
  backend_unavailable: 503,
} as const;
export type FormErrorCode = keyof typeof formErrorStatus;

export const formErrorCodes = Object.keys(formErrorStatus) as [FormErrorCode, ...FormErrorCode[]];

/** Codes of the server that keep their meaning, but have another name in the form host protocol. */
const renamed: Partial<Record<ErrorCode, FormErrorCode>> = {
  forbidden: 'permission_denied',
  insufficient_scope: 'permission_denied',
  csrf_failed: 'permission_denied',
  workspace_membership_inactive: 'permission_denied',
  // The Workspace is archived.
  failed_precondition: 'policy_denied',
};

/** Code of an error of the server that has no code of its own here, by its status. */
const byStatus: Readonly<Record<number, FormErrorCode>> = {
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'resource_not_found',
  409: 'resource_busy',
  412: 'resource_version_conflict',
  500: 'internal_error',
  503: 'backend_unavailable',
};

/** Returns the code of the protocol for an error of the server. Every refusal of a request as such is `invalid_argument`. */
export function formCodeOf(code: ErrorCode | FormErrorCode, status: number): FormErrorCode {
  if (Object.hasOwn(formErrorStatus, code)) return code as FormErrorCode;
  return renamed[code as ErrorCode] ?? byStatus[status] ?? 'invalid_argument';
}

/** The one status that an error of the server gets here instead of its own: a refusal by policy. */
export const formStatusOf = (code: FormErrorCode, status: number): number =>
  code === 'policy_denied' ? formErrorStatus.policy_denied : status;

/** Reports whether the same request may succeed later. */
export const isRetryable = (code: FormErrorCode): boolean => code === 'resource_busy' || formErrorStatus[code] === 503;
