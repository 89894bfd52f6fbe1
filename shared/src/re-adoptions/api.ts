import { z } from 'zod';
import { Capsule } from '../capsules/contract.ts';
import { AnyJson } from '../kernel/any-json.ts';
import { type BodyOf, defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { boundedJson, findOutOfBounds, type Json, type JsonObject } from '../kernel/json.ts';
import { Digest, Reason, VariableName } from '../kernel/scalars.ts';
import { findSecretLike, findSecretLikeKey, isSecretLike } from '../secret-like.ts';

/**
 * The complete set of non-secret inputs. Input that is too large or looks like a credential is refused before it is
 * parsed.
 */
const ReviewedVariables = z.record(VariableName, AnyJson).superRefine((values, context) => {
  const bad = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
  const large = findOutOfBounds(values as JsonObject, boundedJson);
  if (large !== undefined) return bad(large.split('/').slice(1), 'The value is too large or too deep.');
  const key = findSecretLikeKey(values as Json);
  if (key) return bad([...key], 'The name looks like one of a credential.');
  const text = findSecretLike(values as Json);
  if (text) bad([...text], 'The value looks like a credential.');
});

/** Moves a Capsule to a new version of its configuration that names another snapshot; no command is run. */
const ReAdopt = z.strictObject({
  baseInstallConfigId: z.string().min(1).max(64),
  sourceSnapshotId: id('snapshot'),
  reason: Reason.refine((text) => !isSecretLike(text)),
  reviewedUserVariables: ReviewedVariables.optional(),
  expected: z.strictObject({ authorityGuard: Digest }),
});

export const ReAdoptionAnswer = z.strictObject({
  capsule: Capsule,
  installConfigReAdoption: z.strictObject({
    replayed: z.boolean(),
    previousInstallConfigId: z.string(),
    previousInstallConfigDigest: Digest,
    targetInstallConfigId: z.string(),
    targetInstallConfigDigest: Digest,
    sourceSnapshotId: z.string(),
  }),
});
export type ReAdoptionAnswer = z.infer<typeof ReAdoptionAnswer>;

export const reAdoptionsApi = defineApi({
  reAdopt: {
    method: 'POST',
    path: '/capsules/:capsuleId/install-config-re-adoptions',
    summary: 'Move a Capsule to a new version of its configuration that names another snapshot; nothing is run',
    class: 'W',
    descriptor: 43,
    idempotency: 'required',
    keyFailsAs: 'invalid_request',
    failsAs: 'invalid_token',
    params: z.strictObject({ capsuleId: z.string() }),
    body: ReAdopt,
    replies: { 200: ReAdoptionAnswer },
    errors: ['failed_precondition', 'repository_install_ux_invalid', 'repository_install_ux_stale'],
  },
});

export type ReAdopt = BodyOf<typeof reAdoptionsApi.reAdopt>;
