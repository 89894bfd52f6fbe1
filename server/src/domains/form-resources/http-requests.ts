import { actorOf, type Caller } from '#server/kernel/http/index';
import { required } from '#server/kernel/required';
import type { FormIdentity } from '#shared/form-packages/contract';
import type { formCompatibilityApi } from '#shared/form-resources/api';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import { invalid } from './refusals.ts';
import type { DesiredRequest, TargetRequest } from './request-types.ts';

type Path = { kind: string; name: string };
/** Body of either API without its form: that of the compatibility routes has the same members, fewer of them required. */
type DesiredBody = BodyOf<typeof formCompatibilityApi.putCompatibilityResource>;

/** The gate has checked the Workspace that the request names. */
export const workspaceOf = ({ workspaceId }: Caller): string => required(workspaceId, 'Workspace of the space');

/** Returns a request on the Resource of a path; without a form on the compatibility routes. */
export const targetRequest = (caller: Caller, { kind, name }: Path, form?: FormIdentity): TargetRequest => ({
  target: { workspaceId: workspaceOf(caller), kind, name },
  actorId: actorOf(caller),
  form,
  conditions: { ifMatch: caller.ifMatch, ifNoneMatch: caller.ifNoneMatch },
  key: caller.idempotencyKey,
});

/** Takes a body apart; its kind and name must be those of the path. `space` is that of the query. Throws 400. */
export function desiredRequest(
  caller: Caller,
  body: DesiredBody,
  { form, space, path }: { form?: FormIdentity; space?: string | undefined; path?: Path },
): DesiredRequest {
  const { apiVersion, kind, metadata, spec, ...rest } = body;
  nothingLeft(rest);
  const { name, resourceVersion } = metadata;
  requireSamePath({ kind, name }, path);
  return {
    ...targetRequest(caller, { kind, name }, form),
    space: required(metadata.space ?? space, 'space of the query or the metadata'),
    apiVersion,
    resourceVersion,
    spec,
    planDigest: undefined,
  };
}

/** Throws 400 when a body names another Resource than the path. */
function requireSamePath({ kind, name }: Path, path: Path | undefined): void {
  if (path === undefined) return;
  if (kind !== path.kind) throw invalid('The kind differs from that of the path.', '/kind');
  if (name !== path.name) throw invalid('The name differs from that of the path.', '/metadata/name');
}
