import { type Check, note, problem } from './finding.ts';

const unlimited =
  'Run the server where it may make control groups, as systemd gives with Delegate=yes, so that a module cannot exhaust this machine.';

/** What plans and applies run in. */
export const machineCheck: Check = {
  name: 'machine',
  needs: [],
  async examine({ machine }) {
    const tool = await machine.findTool();
    const { sandbox, network } = await machine.probe(tool);
    const shortfall = machine.shortfall();
    const missing = problem({
      message: 'Neither OpenTofu nor Terraform was found, so nothing can be planned.',
      remedy: 'groundctl tofu install --data-dir DIR, or name one with GROUNDCTL_TOOL_PATH.',
    });
    const open = note({
      message: 'Modules run without a sandbox: their code can do what this account can.',
      remedy: 'Install bubblewrap, and see that it may be used; until then plan only modules you trust.',
    });
    const shared = note({
      message: 'Code of a module that may use the network reaches the services of this machine too.',
      remedy: 'Install slirp4netns to keep them apart.',
    });
    return [
      ...(tool ? [] : [missing]),
      ...(shortfall === undefined ? [] : [note({ message: shortfall, remedy: unlimited })]),
      ...(sandbox === 'none' ? [open] : []),
      ...(sandbox !== 'none' && network === 'shared' ? [shared] : []),
    ];
  },
};
