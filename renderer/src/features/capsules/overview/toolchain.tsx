import { useQuery } from '@tanstack/react-query';
import { toolchainQuery } from '../../../api/capsule-pages.ts';
import { useText } from '../../../i18n/text.ts';
import { type Fact, Facts } from '../../../ui/facts.tsx';
import { shortSource } from '../../../ui/provider-text.ts';
import { Card } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

const toolTexts = { tofu: 'OpenTofu', terraform: 'Terraform' } as const;

/** Versions of the tool and the providers that made the current state. Renders nothing before the first apply. */
export function CapsuleToolchain({ capsuleId }: { capsuleId: string }) {
  const t = useText();
  const toolchain = useQuery(toolchainQuery(capsuleId)).data;
  if (!toolchain) return null;
  const { toolName, toolVersion, providers } = toolchain;
  const items: Fact[] = [
    { term: toolTexts[toolName], value: visibleText(toolVersion) },
    ...providers.map(({ address, version }) => ({
      term: visibleText(shortSource(address)),
      value: visibleText(version),
    })),
  ];
  return (
    <Card>
      <h2 className="border-b border-line px-4 py-2.5 font-semibold">{t('overview.versions')}</h2>
      <Facts items={items} />
    </Card>
  );
}
