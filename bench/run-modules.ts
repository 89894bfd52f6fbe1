import { hasRealProviders } from '../e2e/fixtures/mirror.ts';
import { findTool } from '../e2e/fixtures/tool.ts';
import { providerMirror, providerModule, terraformDataModule } from './bare-tool.ts';
import type { RunVariant } from './run-variants.ts';

/** A module of 50 resources with the environment that the server needs for it. */
export type BenchModule = {
  title: string;
  text: string;
  /** Filesystem mirror for the tool alone. */
  mirror: string | undefined;
  env: { [name: string]: string };
};

/** Returns the module of a variant. Throws when this machine lacks its providers. */
export function benchModule(name: RunVariant['module']): BenchModule {
  const count = 50;
  if (name === 'terraform-data') {
    return { title: '`terraform_data`', text: terraformDataModule(count), mirror: undefined, env: {} };
  }
  if (!hasRealProviders(findTool())) throw new Error('The real providers are missing. Run .ci/prepare first.');
  const env = { GROUNDCTL_PROVIDER_MIRROR: providerMirror };
  return { title: 'two providers', text: providerModule(count), mirror: providerMirror, env };
}
