import { limits } from '#shared/limits';

/** Fixed limits of the driver on the work that a server can cause. Bytes, counts and milliseconds. */
export const bounds = {
  /** A service discovery document, or the answer with the location of a module. */
  documentBytes: 1 << 20,
  /** The list of versions of a module, with everything that a registry may say about each. */
  versionsBytes: 16 << 20,
  versions: 20_000,
  /** An archive in transfer. */
  downloadBytes: limits.archiveBytes,
  redirects: 5,
  /** Answers of `?terraform-get=1` that name another address; the tool follows as many. */
  lookups: 10,
  resolveMs: 60_000,
  fetchMs: limits.sourceSyncSeconds * 1_000,
  unpackMs: 120_000,
  pathLength: 1_024,
} as const;
