import { limits } from '#shared/limits';

/** Fixed limits of the driver on the work that a server can cause in this process. Bytes and milliseconds. */
export const bounds = {
  /** A pack in transfer. */
  packBytes: limits.archiveBytes,
  /** All inflating and delta work for one pack: a small pack can demand any amount. */
  inflatedBytes: 6 * limits.archiveBytes,
  /** Inflated objects kept in memory; further ones are inflated again when needed. */
  heldBytes: 192 << 20,
  packObjects: 2 * limits.treeEntries,
  /** The longest chain Git itself writes is 4,095 (`git pack-objects --depth`). */
  deltaDepth: 4_096,
  /** The index of a pack on disk, which is read whole: about 16 million objects. */
  packIndexBytes: 512 << 20,
  refListBytes: 64 << 20,
  /** A loose ref, `HEAD` or `objects/info/alternates`. */
  refFileBytes: 64 << 10,
  configBytes: 1 << 20,
  packs: 10_000,
  looseRefs: limits.treeEntries,
  refDepth: 64,
  redirects: 5,
  connectMs: 15_000,
  idleMs: 60_000,
} as const;
