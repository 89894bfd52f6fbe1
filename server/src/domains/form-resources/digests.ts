import { jsonDigest } from '#server/kernel/digest';
import type { FormIdentity } from '#shared/form-packages/contract';
import type { JsonObject } from '#shared/kernel/json';
import type { ChangeOperation } from './schema.ts';
import type { Target } from './store.ts';

/** Subject of a review: this desired state, of this form, over this generation. */
export type Review = Target & { form: FormIdentity; base: number; spec: JsonObject };

export const specDigestOf = (spec: JsonObject): string => jsonDigest(spec);

/** Digest that a preview returns and the write names. `base` is the generation that is changed, 0 for a create. */
export const planDigestOf = ({ form, workspaceId, kind, name, base, spec }: Review): string =>
  jsonDigest({ form, workspaceId, kind, name, base, specDigest: specDigestOf(spec) });

export type OperationSubject = Target & {
  principal: string;
  key: string;
  operation: ChangeOperation;
  form: FormIdentity;
  spec?: JsonObject;
  nativeId?: string;
};

/** Digest of everything that makes two requests the same operation. */
export const operationIdentityOf = ({ spec, nativeId, ...subject }: OperationSubject): string =>
  jsonDigest({
    ...subject,
    ...(spec && { specDigest: specDigestOf(spec) }),
    ...(nativeId !== undefined && { nativeId }),
  });
