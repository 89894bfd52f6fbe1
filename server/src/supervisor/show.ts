import { showArgs } from '#server/drivers/tofu/index';
import { megabytes } from '../os/allowances.ts';
import { RunFailure } from './failure.ts';
import { planFailure } from './plan-failure.ts';
import { type CommandEnd, type CommandRequest, hasSucceeded, type SupervisedRun, wasEnded } from './run.ts';
import type { SubstituteProviders } from './schema/substitute-providers.ts';
import { plainCliConfig } from './workspace/provider-sources.ts';

const showMaxBytes = 134_217_728;

type Showing = { request: CommandRequest; text(): string };

/** Prepares the show command. `text` is the plan as JSON once the command has ended; throws `RunFailure` when it is too large. */
export function prepareShow(run: SupervisedRun, substitutes: SubstituteProviders | undefined): Showing {
  const { spec, layout } = run;
  const chunks: Buffer[] = [];
  let size = 0;
  const { stderr, end } = run.report.listen({ phase: 'plan' });
  const sink = {
    stdout(chunk: Buffer): void {
      size += chunk.length;
      if (size <= showMaxBytes) chunks.push(Buffer.from(chunk));
    },
    stderr,
    end,
  };
  const request: CommandRequest = {
    name: 'show',
    phase: 'plan',
    argv: showArgs({ tool: spec.tool.name, file: layout.seen.plan, varFile: layout.seen.variablesFile }),
    sink,
    network: false,
    writable: { state: false, data: false },
    variables: spec.variables,
    hasPlan: true,
    outlives: false,
    cliConfig: plainCliConfig(run),
    ...(substitutes?.reattach === undefined ? {} : { reattach: substitutes.reattach }),
  };
  return {
    request,
    text() {
      if (size <= showMaxBytes) return Buffer.concat(chunks).toString('utf8');
      throw new RunFailure(
        'plan_failed',
        'plan',
        `The plan is larger than ${megabytes(showMaxBytes)} as text, too large to be shown. Split the module and plan again.`,
      );
    },
  };
}

type Show = {
  showing: Showing;
  substitutes: SubstituteProviders | undefined;
  step(request: CommandRequest): Promise<CommandEnd>;
};

/** Returns the plan as JSON. Providers are started only when no substitute can serve their schema. */
export async function showPlan(
  run: SupervisedRun,
  { showing, substitutes, step }: Show,
): Promise<{ text: string; isByProviders: boolean }> {
  const end = await step(showing.request);
  if (hasSucceeded(end)) return { text: showing.text(), isByProviders: substitutes === undefined };
  const isRefused = substitutes?.reattach !== undefined && !wasEnded(end);
  if (!isRefused) throw planFailure(run, end, []);
  substitutes.reject('all');
  run.report.say('plan', 'warn', 'The plan could not be read with the stored schemas, so its providers are started.');
  const again = prepareShow(run, undefined);
  const ended = await step(again.request);
  if (!hasSucceeded(ended)) throw planFailure(run, ended, []);
  return { text: again.text(), isByProviders: true };
}
