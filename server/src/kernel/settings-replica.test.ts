import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readReplica } from './settings-replica.ts';

const socket = path.resolve('/run/litestream.sock');

describe('the settings of the continuous copy', () => {
  it('are absent without a socket, and refuse machines while the copy is behind unless they say otherwise', () => {
    expect(readReplica({})).toBeUndefined();
    expect(readReplica({ GROUNDCTL_LITESTREAM_SOCKET: socket })).toEqual({ socket, whenBehind: 'refuse' });
    const both = { GROUNDCTL_LITESTREAM_SOCKET: socket, GROUNDCTL_REPLICA_BEHIND: 'continue' };
    expect(readReplica(both)).toEqual({ socket, whenBehind: 'continue' });
  });

  it.each(['refuse', 'continue'])('are refused with %s and no socket, which would have no effect', (whenBehind) => {
    expect(() => readReplica({ GROUNDCTL_REPLICA_BEHIND: whenBehind })).toThrow(
      'GROUNDCTL_REPLICA_BEHIND needs GROUNDCTL_LITESTREAM_SOCKET.',
    );
  });

  it('are refused with another behavior', () => {
    const env = { GROUNDCTL_LITESTREAM_SOCKET: socket, GROUNDCTL_REPLICA_BEHIND: 'wait' };
    expect(() => readReplica(env)).toThrow('must be refuse or continue');
  });
});
