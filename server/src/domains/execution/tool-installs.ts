import type { InstallProgress, ToolIdentity } from '#server/drivers/tofu/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import { notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { faultFields, type Log } from '#server/kernel/log';
import type { ToolInstall } from '#shared/execution/tool';

/** Shortest time between two reports of progress. */
const progressMs = 1_000;

type Deps = {
  clock: Clock;
  log: Log;
  installTool: (onProgress: (progress: InstallProgress) => void) => Promise<ToolIdentity>;
  onInstalled: () => void;
};

/** Installations of the pinned tool since the start of the server, at most one at a time. */
export function createToolInstalls({ clock, log, installTool, onInstalled }: Deps) {
  const installs = new Map<string, ToolInstall>();
  const listeners = new Set<(install: ToolInstall) => void>();

  /** An installation does not fail because a listener throws. */
  function notify(install: ToolInstall): void {
    try {
      for (const listener of listeners) listener(install);
    } catch (error) {
      log.warn(faultFields(error), 'a listener of the tool installation failed');
    }
  }

  function start(): ToolInstall {
    const id = newId('toolInstall');
    let install: ToolInstall = { id, status: 'running', receivedBytes: 0, startedAt: isoTime(clock.now()) };
    let notifiedAt = Number.NEGATIVE_INFINITY;
    const set = (change: Partial<ToolInstall>) => {
      install = { ...install, ...change };
      installs.set(id, install);
      if (install.status === 'running' && clock.now() - notifiedAt < progressMs) return;
      notifiedAt = clock.now();
      notify(install);
    };
    set({});
    installTool((progress) => set(progressOf(progress))).then(
      () => {
        onInstalled();
        set({ status: 'succeeded' });
      },
      (error: Error) => {
        log.warn({ reason: error.message }, 'the tool could not be installed');
        set({ status: 'failed', error: error.message });
      },
    );
    return install;
  }

  return {
    /** Starts an installation, or joins the one that runs. */
    install: (): ToolInstall => [...installs.values()].find(({ status }) => status === 'running') ?? start(),
    getInstall(id: string): ToolInstall {
      const known = installs.get(id);
      if (!known) throw notFound('tool installation');
      return known;
    },
    /** Subscribes to installations: called at their start and end, and at most once a second with their progress. */
    listen: (listener: (install: ToolInstall) => void): void => void listeners.add(listener),
  };
}

const progressOf = (progress: InstallProgress): Partial<ToolInstall> => ({
  ...('receivedBytes' in progress && progress.receivedBytes !== undefined && { receivedBytes: progress.receivedBytes }),
  ...('totalBytes' in progress && progress.totalBytes !== undefined && { totalBytes: progress.totalBytes }),
});
