export { type ReplicaSync, syncReplica } from './control-socket.ts';
