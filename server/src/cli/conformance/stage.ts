import type { Fixture } from './fixture.ts';
import type { Answer, HostRequest } from './host-client.ts';
import type { Probe } from './probe.ts';
import type { Resource } from './shapes.ts';

/** A write that succeeded, with its request, so that it can be repeated. */
export type Written = { request: HostRequest; answer: Answer; resource: Resource };

/** Results of earlier stages that later ones use. */
export type Progress = {
  /** True since the host said that no Resource has the name of the fixture. */
  isAbsent?: true;
  /** True since a request was sent that creates the Resource. */
  mayExist?: true;
  planDigest?: string;
  created?: Written;
  updated?: Written;
  /** Current resourceVersion, as far as this check knows. */
  resourceVersion?: string;
  /** Completed operations, oldest first. */
  operations: { action: string; resourceVersion: string }[];
  mayBeImported?: true;
};

export type StageInput = {
  probe: Probe;
  fixture: Fixture;
  progress: Progress;
  /** Origin of the host. */
  endpoint: string;
  /** Native object that is imported; without one there is no import stage. */
  nativeId?: string | undefined;
};

export type Stage = { name: string; run: (input: StageInput) => Promise<void> };
