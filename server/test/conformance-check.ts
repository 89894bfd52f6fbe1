import { runConformance } from '../src/cli/conformance/index.ts';
import { greetingFixture } from './conformance-fixture.ts';
import { startDeviatingProxy } from './deviating-proxy.ts';
import type { Deviation } from './form-host-deviations.ts';

type DeviatingHost = {
  target: string;
  ca: string;
  token: string;
  space: string;
  /** Name of the Resource, which no other check uses. */
  name: string;
  nativeId?: string | undefined;
};

/** Checks a host behind a proxy with one deviation; returns the stages that failed though they were executed. */
export async function failedStages({ target, ca, token, space, name, nativeId }: DeviatingHost, deviation: Deviation) {
  const proxy = await startDeviatingProxy({ target, ca, alter: deviation.create() });
  try {
    const fixture = { ...greetingFixture(space), name };
    const { stages } = await runConformance({ endpoint: proxy.origin, token, fixture, nativeId });
    const isExecuted = (failures: readonly string[]) =>
      !failures.every((failure) => failure.startsWith('Not executed:'));
    return stages.filter(({ passed, failures }) => !passed && isExecuted(failures));
  } finally {
    await proxy.close();
  }
}
