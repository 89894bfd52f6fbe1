import { AppError } from '#server/kernel/errors';
import type { FormOperation } from '#shared/form-packages/contract';
import type { FormResource } from '#shared/form-resources/contract';
import { requireAvailable, requireIdentity } from './availability.ts';
import { planDigestOf, specDigestOf } from './digests.ts';
import { type Answer, findFormOf, type OperationPorts, type Operations, type Situation } from './operations.ts';
import {
  nextVersion,
  requireOptionalCondition,
  requireSameVersion,
  requireWriteCondition,
  withVersion,
} from './preconditions.ts';
import { invalid, ownedObject, unreadableObject, versionConflict } from './refusals.ts';
import { requireValid } from './request-checks.ts';
import type { DesiredRequest, ImportRequest } from './request-types.ts';

/** The requests with a desired state: preview, apply and import. */
export function createDesiredRequests(ports: OperationPorts & { operations: Operations }) {
  const { store, packages, operations } = ports;
  const check = (request: DesiredRequest, operation: FormOperation, situation: Situation) =>
    checkDesired(ports, request, { operation, ...situation });

  return {
    /** Returns the Resource that an apply would give, and the digests of its review. */
    async preview(request: DesiredRequest) {
      const { target, space, spec } = request;
      const current = store.findAt(target);
      const form = findFormOf(packages, request);
      requireIdentity(packages, form, current);
      const checked = await check(request, 'preview', { current, form });
      checked.check();
      const resource: FormResource = {
        apiVersion: form.formRef.apiVersion,
        kind: target.kind,
        form,
        metadata: { name: target.name, space, resourceVersion: nextVersion(current) },
        spec,
      };
      const planDigest = planDigestOf({ ...target, form, base: checked.base, spec });
      return { resource, review: { planDigest, specDigest: specDigestOf(spec) } };
    },

    apply: <R>(request: DesiredRequest, answer: Answer<R>) =>
      operations.run(
        request,
        { operation: 'apply', spec: request.spec },
        { answer, prepare: (situation) => check(request, 'apply', situation) },
      ),

    import: <R>(request: ImportRequest, answer: Answer<R>) =>
      operations.run(
        request,
        { operation: 'import', spec: request.spec, nativeId: request.nativeId },
        {
          answer,
          prepare: async (situation) => {
            const checked = await check(request, 'import', situation);
            if (situation.current)
              throw new AppError('import_conflict', 'The Resource exists already. An import creates a new one.');
            requireFree(ports, request.nativeId);
            return checked;
          },
        },
      ),
  };
}

/** Checks availability, condition, review and desired state. Returns the current generation, 0 without a Resource. */
async function checkDesired(
  { packages, publication, native }: OperationPorts,
  request: DesiredRequest,
  { operation, current, form }: Situation & { operation: FormOperation },
) {
  const { target, conditions, spec, planDigest } = request;
  requireOfForm(request, form.formRef);
  const { interfaces } = requireAvailable(packages.findPackage(form), { ...target, operation });
  if (request.form) requireWriteCondition(conditions, current);
  else requireOptionalCondition(withVersion(conditions, request.resourceVersion), current);
  if (operation === 'import' && conditions.ifMatch !== undefined)
    throw versionConflict('An import creates a Resource. Send If-None-Match: * instead of If-Match.');
  const base = current?.generation ?? 0;
  if (planDigest !== undefined && planDigest !== planDigestOf({ ...target, form, base, spec }))
    throw versionConflict('The review is of another desired state or version. Preview the Resource again.');
  await requireValid(packages, form, spec);
  if (current && native.read(current.nativeId).state === 'unreadable') throw unreadableObject();
  const check = () =>
    publication.checkPublication({
      workspaceId: target.workspaceId,
      resourceId: current?.id,
      resourceName: target.name,
      blueprints: interfaces ?? [],
    });
  return { base, check };
}

/** Throws 400 when a body contradicts its form or its headers. */
function requireOfForm(
  { target, apiVersion, resourceVersion, conditions }: DesiredRequest,
  formRef: { apiVersion: string; kind: string },
): void {
  if (apiVersion !== undefined && apiVersion !== formRef.apiVersion)
    throw invalid('The apiVersion differs from that of the form.', '/apiVersion');
  if (target.kind !== formRef.kind) throw invalid('The kind differs from that of the form.', '/kind');
  requireSameVersion(resourceVersion, conditions);
}

/** Throws for a native object that an import cannot adopt. */
function requireFree({ native, store }: Pick<OperationPorts, 'native' | 'store'>, nativeId: string): void {
  const object = native.read(nativeId);
  if (object.state === 'missing') throw new AppError('resource_not_found', 'There is no native object of this name.');
  if (object.state === 'unreadable') throw unreadableObject();
  if (object.owner || store.isNameTaken(nativeId)) throw ownedObject();
}
