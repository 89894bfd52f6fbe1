export { FixtureError, parseFixture } from './fixture.ts';
export type { ConformanceReport, StageReport } from './report.ts';
export { runConformance } from './run-conformance.ts';
