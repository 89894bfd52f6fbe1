import { monotonicFactory } from 'ulid';
import { type IdKind, idPrefix } from '#shared/kernel/id';

const ulid = monotonicFactory();

/** A fresh id. Ids of one process sort by the time they were made. */
export const newId = (kind: IdKind): string => idPrefix[kind] + ulid();
