import type { Git, GitAccess } from '#server/drivers/git/index';
import { createWorkerQueue, type WorkerFailure } from '#server/kernel/worker-queue';
import { bounds } from './bounds.ts';
import { type FetchOptions, fetchPackage, type Unpacker } from './fetch.ts';
import { PackageError, refused } from './package-error.ts';
import type { FetchedPackage, Resolved } from './package-types.ts';
import type { PackageAnswer, PackageTask } from './package-worker.ts';
import { type ResolveRequest, resolvePackage } from './resolve.ts';

/**
 * Packages of modules: registries, Git repositories and archives over HTTPS. Every method rejects with `PackageError`, or
 * with the reason of its signal.
 */
export type Packages = {
  /** Pins the source and version of a module call to a commit or an archive. */
  resolve: (request: ResolveRequest) => Promise<Resolved>;
  /** Stores the files of a pinned package in an archive of its cache. */
  fetch: (resolved: Resolved, options: FetchOptions) => Promise<FetchedPackage>;
  /** Ends the thread; running work rejects. */
  close: () => Promise<void>;
};

type PackagesOptions = { git: Git; access: GitAccess; resolveMs?: number; fetchMs?: number };

const heapMegabytes = 512;

/** Creates the driver. Requests are made from the server's thread, and archives unpacked in one of its own. */
export function createPackages({ git, access, ...times }: PackagesOptions): Packages {
  const queue = createWorkerQueue<PackageTask, PackageAnswer>({
    entry: 'package-worker',
    what: 'Unpacking the package',
    heapMegabytes,
    timeoutMs: bounds.unpackMs,
  });
  const unpacker: Unpacker = {
    unpack: async (request) => {
      const answer = await queue.send({ unpack: request });
      return 'unpacked' in answer ? answer.unpacked : fail(answer);
    },
    inspect: async (request) => {
      const answer = await queue.send({ inspect: request });
      return 'inspected' in answer ? answer.inspected : fail(answer);
    },
  };
  return {
    resolve: (request) =>
      timed(request.signal, times.resolveMs ?? bounds.resolveMs, (signal) =>
        resolvePackage(request, { git, access, signal }),
      ),
    fetch: (resolved, options) =>
      timed(options.signal, times.fetchMs ?? bounds.fetchMs, (signal) =>
        fetchPackage(resolved, options, { git, access, unpacker, signal }),
      ),
    close: queue.close,
  };
}

function fail(answer: PackageAnswer | WorkerFailure): never {
  if ('code' in answer) throw new PackageError(answer.code, answer.message);
  throw refused('failure' in answer ? answer.failure : 'The answer is that of another request.');
}

/** Runs work with a time limit. Its end is the reason of the caller's signal, or `timed_out`. */
async function timed<T>(
  outer: AbortSignal | undefined,
  milliseconds: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new PackageError('timed_out', 'The module took longer than it may. Try again later.');
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(late), milliseconds);
  const signal = outer ? AbortSignal.any([outer, controller.signal]) : controller.signal;
  try {
    signal.throwIfAborted();
    return await work(signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}
