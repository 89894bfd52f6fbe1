import type { PlanComparison } from '#shared/plans/comparison';
import { exitCodes } from '../exit-codes.ts';
import { atServer } from './command.ts';
import { comparisonText } from './comparison-text.ts';
import type { Server } from './server.ts';

const pageSize = '5000';

/** Shows what two plans of a Capsule do differently. */
export const runPlansDiff = atServer(
  { whenUnread: 'stops' },
  async ({ server, terminal, args: [one = '', other = ''] }) => {
    const comparison = await readComparison(server, one, other);
    if (terminal.isJson) terminal.document({ comparison });
    else {
      const { later, earlier } = comparison;
      const { lines, isCut } = comparisonText(comparison, terminal.paint);
      const link = server.link(`/runs/${later.runId}?tab=compare&with=${earlier.runId}`);
      const rest = isCut ? `Not all of it is shown here. The whole comparison: ${link}` : link;
      for (const line of [...lines, '', rest]) terminal.say(line);
    }
    return exitCodes.done;
  },
);

async function readComparison({ api }: Server, runId: string, other: string): Promise<PlanComparison> {
  const read = async (after: number | undefined) => {
    const query = { with: other, limit: pageSize, ...(after !== undefined && { after: String(after) }) };
    return (await api.comparePlans({ params: { runId }, query })).body.comparison;
  };
  const { nextAfter: start, ...first } = await read(undefined);
  const resources = [...first.resources];
  for (let after = start; after !== undefined; ) {
    const page = await read(after);
    resources.push(...page.resources);
    after = page.nextAfter;
  }
  return { ...first, resources };
}
