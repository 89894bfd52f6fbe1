import { type Environment, findSetting, pathOf, SettingError } from './settings-read.ts';

/** Settings of the continuous copy of the ledger. */
export type ReplicaSettings = {
  /** Control socket of Litestream. */
  socket: string;
  /** Behavior while the copy is not confirmed: refuse claims and permits of machines, or go on. */
  whenBehind: 'refuse' | 'continue';
};

/** Reads the settings of the continuous copy; undefined without one. Throws `SettingError`. */
export function readReplica(env: Environment): ReplicaSettings | undefined {
  const socket = pathOf(env, 'GROUNDCTL_LITESTREAM_SOCKET');
  const named = findSetting(env, 'GROUNDCTL_REPLICA_BEHIND');
  const whenBehind = named ?? 'refuse';
  if (whenBehind !== 'refuse' && whenBehind !== 'continue')
    throw new SettingError('GROUNDCTL_REPLICA_BEHIND must be refuse or continue.');
  if (socket === undefined && named !== undefined)
    throw new SettingError(
      'GROUNDCTL_REPLICA_BEHIND needs GROUNDCTL_LITESTREAM_SOCKET. Set the socket too, or leave both out.',
    );
  return socket === undefined ? undefined : { socket, whenBehind };
}
