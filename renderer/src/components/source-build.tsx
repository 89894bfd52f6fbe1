import type { SourceBuild } from '#shared/install-configs/source-build';
import { usePlanRunner } from '../api/plan-runner.ts';
import { useText } from '../i18n/text.ts';
import { Note } from '../ui/surface.tsx';
import { visibleText } from '../ui/visible-text.ts';

/**
 * The exact commands of a build, each with its working directory and the files taken from it. Each argument has a box
 * of its own, so that none hides in another. A missing sandbox is reported above them. `poolId` is that of a Run;
 * without it, that of a new Capsule counts.
 */
export function BuildSteps({ build, poolId }: { build: SourceBuild; poolId?: string }) {
  const t = useText();
  const isOpen = usePlanRunner({ poolId })?.sandbox === 'none';
  return (
    <>
      {isOpen && (
        <Note tone="warn" title={t('build.noSandbox')}>
          {t('build.noSandbox.text')}
        </Note>
      )}
      <ol className="flex flex-col gap-3">
        {build.commands.map(({ argv, workingDirectory }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: commands have no name, and their order never changes
          <li key={at} className="min-w-0">
            <div className="flex flex-wrap gap-1">
              {argv.map((argument, position) => (
                <code
                  // biome-ignore lint/suspicious/noArrayIndexKey: arguments have no name, and their order never changes
                  key={position}
                  className="max-w-full rounded border border-line bg-raised px-1.5 py-0.5 break-all whitespace-pre-wrap"
                >
                  {visibleText(argument)}
                </code>
              ))}
            </div>
            <p className="mt-1 text-muted">
              {t('build.in')}{' '}
              {workingDirectory === undefined || workingDirectory === '.' ? (
                t('build.root')
              ) : (
                <code className="break-all">{visibleText(workingDirectory)}</code>
              )}
            </p>
          </li>
        ))}
      </ol>
      <div>
        <h3 className="font-medium text-muted">{t('build.outputs')}</h3>
        <ul className="mt-1 flex flex-col gap-1">
          {[...new Set(build.outputs)].map((output) => (
            <li key={output} className="min-w-0">
              <code className="break-all">{visibleText(output)}</code>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
