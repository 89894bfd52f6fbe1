import { CircleX, Info, TriangleAlert } from 'lucide-react';
import type { Finding } from '#shared/sources/module-scan';
import { type TextId, useText } from '../i18n/text.ts';
import { visibleText } from './visible-text.ts';

const icons = { info: Info, warning: TriangleAlert, error: CircleX } as const;
const colours = { info: 'text-muted', warning: 'text-warn', error: 'text-bad' } as const;

/** Findings about a module, with their remedies. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  const t = useText();
  return (
    <ul className="flex flex-col gap-2.5">
      {findings.map((finding, index) => {
        const Icon = icons[finding.severity];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two findings may be alike, and none ever moves
          <li key={index} className="flex gap-2 text-sm">
            <Icon
              size={15}
              role="img"
              aria-label={t(`install.severity.${finding.severity}`)}
              className={`mt-0.5 shrink-0 ${colours[finding.severity]}`}
            />
            <div className="min-w-0">
              <p className="font-medium">{t(`install.finding.${finding.code}` satisfies TextId)}</p>
              <p className="break-words text-muted">
                {finding.path !== undefined && finding.path !== '.' && (
                  <code className="mr-1 break-all">{visibleText(finding.path)}</code>
                )}
                <span lang="en">{visibleText(finding.message)}</span>
              </p>
              {finding.suggestion !== undefined && (
                <p lang="en" className="break-words">
                  {visibleText(finding.suggestion)}
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
