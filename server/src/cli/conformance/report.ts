import type { Fixture } from './fixture.ts';
import type { ExchangeRecord } from './host-client.ts';
import { jsonDigest } from './json.ts';
import { protocolVersion } from './requests.ts';

export type StageReport = {
  name: string;
  passed: boolean;
  requests: readonly ExchangeRecord[];
  /** Sentences without values of a desired state. */
  failures: readonly string[];
};

/** Record of everything that was executed, and of nothing else. `reportDigest` covers the RFC 8785 form of all other members. */
export type ConformanceReport = {
  kind: 'svc.form-conformance-report@v1';
  protocol: string;
  endpoint: string;
  form: Fixture['form'];
  space: string;
  name: string;
  fixtureDigest: string;
  passed: boolean;
  stages: readonly StageReport[];
  reportDigest: string;
};

export function createReport(endpoint: string, fixture: Fixture, stages: readonly StageReport[]): ConformanceReport {
  const report = {
    kind: 'svc.form-conformance-report@v1',
    protocol: protocolVersion,
    endpoint,
    form: fixture.form,
    space: fixture.space,
    name: fixture.name,
    fixtureDigest: jsonDigest(fixture),
    passed: stages.every(({ passed }) => passed),
    stages,
  } as const;
  return { ...report, reportDigest: jsonDigest(report) };
}
