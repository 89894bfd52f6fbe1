import { monotonicFactory } from 'ulid';
import { type IdKind, idPrefix } from '#shared/kernel/id';

const ulid = monotonicFactory();

/** Returns a fresh id. Ids of one process sort by creation time. */
export const newId = (kind: IdKind): string => idPrefix[kind] + ulid();
