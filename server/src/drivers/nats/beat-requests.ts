import type { Subscription } from '@nats-io/transport-node';
import type { Connection } from './connection.ts';
import { names } from './names.ts';

/** Asks a runner for a beat now. The message says nothing else, and may be lost. */
export const requestBeat = (connection: Connection, runnerId: string): void =>
  connection.publish(names.beatRequest(runnerId));

/** Calls back when the server asks for a beat. */
export const listenForBeatRequests = (connection: Connection, runnerId: string, callback: () => void): Subscription =>
  connection.subscribe(names.beatRequest(runnerId), { callback: (error) => void (error ?? callback()) });
