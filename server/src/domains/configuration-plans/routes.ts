import type { ToolManager } from '#server/domains/execution/index';
import { actorOf, created, type Mount, ok } from '#server/kernel/http/index';
import { configurationPlansApi } from '#shared/configuration-plans/api';
import type { ConfigurationReader } from './configuration.ts';
import type { ConfigurationPlansService } from './service.ts';

type Ports = {
  configurationPlans: ConfigurationPlansService;
  configurations: ConfigurationReader;
  toolManager: Pick<ToolManager, 'find'>;
};

export const configurationPlansRoutes = (
  mount: Mount,
  { configurationPlans, configurations, toolManager }: Ports,
): void =>
  mount(configurationPlansApi, {
    getConfiguration: ({ params }) => ok({ configuration: configurations.read(params.capsuleId) }),
    planConfiguration: async ({ params, body, caller }) => {
      const input = { capsuleId: params.capsuleId, actorId: actorOf(caller), key: caller.idempotencyKey ?? '', body };
      // A repeated request is answered also when the tool is no longer available.
      const planned = configurationPlans.findPlanned(input);
      if (planned) return () => ok(planned);
      const tool = await toolManager.find();
      return () => {
        const { answer, isNew } = configurationPlans.plan({ ...input, tool });
        return isNew ? created(answer) : ok(answer);
      };
    },
  });
