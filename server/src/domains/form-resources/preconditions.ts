import { etagOf, versionOf } from './records.ts';
import { invalid, versionConflict } from './refusals.ts';
import type { ResourceRow } from './store.ts';

/** Headers of a request that name the version it changes (RFC 9110, 13.1.1 and 13.1.2), as sent. */
export type Preconditions = { ifMatch: string | undefined; ifNoneMatch: string | undefined };

const stale = () =>
  versionConflict('The Resource has another version than the one that If-Match names. Read it and try again.');

/** Requires `If-None-Match: *` for a new Resource and the quoted version in `If-Match` for an existing one. Throws 412. */
export function requireWriteCondition({ ifMatch, ifNoneMatch }: Preconditions, current: ResourceRow | undefined): void {
  if ((ifMatch === undefined) === (ifNoneMatch === undefined))
    throw versionConflict('Send either If-None-Match: * to create the Resource, or its quoted version in If-Match.');
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch !== '*') throw versionConflict('If-None-Match accepts only * here.');
    if (current) throw versionConflict('The Resource exists already. Name its version in If-Match.');
    return;
  }
  requireVersion({ ifMatch }, current);
}

/** Requires the current version in `If-Match`. Throws 412. */
export function requireVersion({ ifMatch }: Pick<Preconditions, 'ifMatch'>, current: ResourceRow | undefined): void {
  if (ifMatch === undefined) throw versionConflict('Send the quoted version of the Resource in If-Match.');
  if (!current || ifMatch !== etagOf(current)) throw stale();
}

/** Checks conditions that a caller may leave out. Throws 412 for one that is sent and does not hold. */
export function requireOptionalCondition(conditions: Preconditions, current: ResourceRow | undefined): void {
  if (conditions.ifMatch !== undefined || conditions.ifNoneMatch !== undefined)
    requireWriteCondition(conditions, current);
}

/** Returns the conditions of a request that may name its version in the metadata instead of `If-Match`. */
export const withVersion = (conditions: Preconditions, resourceVersion: string | undefined): Preconditions =>
  resourceVersion === undefined || conditions.ifMatch !== undefined || conditions.ifNoneMatch !== undefined
    ? conditions
    : { ...conditions, ifMatch: `"${resourceVersion}"` };

/** Requires that a version in the body is the one of the headers. Throws 400. */
export function requireSameVersion(resourceVersion: string | undefined, { ifMatch }: Preconditions): void {
  if (resourceVersion !== undefined && ifMatch !== undefined && ifMatch !== `"${resourceVersion}"`)
    throw invalid('The resourceVersion of the metadata differs from If-Match.', '/metadata/resourceVersion');
}

/** Returns the version after a generation; of a create, the first one. */
export const nextVersion = (current: ResourceRow | undefined): string => versionOf((current?.generation ?? 0) + 1);
