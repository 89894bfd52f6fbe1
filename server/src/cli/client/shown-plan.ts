import type { PlanDocument } from '#shared/plans/document';
import { isDestructivePlan } from '#shared/plans/totals';
import type { Run } from '#shared/runs/contract';
import type { Work } from './command.ts';
import { outlineText, planText } from './plan-text.ts';

/** The text of a plan, as far as the credential of the command may read it. */
export type ShownPlan = {
  lines: string[];
  /** True when the text leaves out changes that the plan has. */
  isCut: boolean;
  isDestructive: boolean;
  /** False for a login: access tokens read no values of plans. */
  isWhole: boolean;
};

/** Reads a plan: as a diff, or for a login the changed addresses and the totals that its Run carries. */
export async function readShownPlan(work: Work, run: Run): Promise<ShownPlan> {
  const { server, terminal } = work;
  if (server.location.credential.kind === 'login') {
    const { summary = { add: 0, change: 0, destroy: 0 }, planResources: resources = [] } = run;
    const isDestructive = isDestructivePlan({ summary, resources });
    return { ...outlineText({ summary, resources }, terminal.paint), isDestructive, isWhole: false };
  }
  const plan = await readPlan(work, run.id);
  return { ...planText(plan, terminal.paint), isDestructive: isDestructivePlan(plan), isWhole: true };
}

/** Returns a plan with all its resources. */
async function readPlan({ server }: Work, runId: string): Promise<PlanDocument> {
  const params = { runId };
  const { plan } = (await server.api.getRunPlan({ params, query: { limit: '5000' } })).body;
  const resources = [...plan.resources];
  let after = plan.nextAfter;
  while (after !== undefined) {
    const next = (await server.api.getRunPlan({ params, query: { limit: '5000', after: String(after) } })).body.plan;
    resources.push(...next.resources);
    after = next.nextAfter;
  }
  return { ...plan, resources };
}
