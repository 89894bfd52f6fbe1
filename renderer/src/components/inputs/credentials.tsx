import { useQuery } from '@tanstack/react-query';
import type { ExposedNames, ProviderBinding } from '#shared/provider-bindings/contract';
import type { ProviderRequirement, ProviderResolution } from '#shared/runs/provider-resolution';
import type { CompatibilityReport } from '#shared/sources/report';
import { bindingsPreviewQuery } from '../../api/bindings.ts';
import { useMay } from '../../api/role.ts';
import { useText } from '../../i18n/text.ts';
import { Card } from '../../ui/surface.tsx';
import { ErrorNote } from '../error-note.tsx';
import { TupleHead } from '../provider-bindings/binding-row.tsx';
import { BindingRows } from '../provider-bindings/binding-rows.tsx';
import { ExposedNamesList } from '../provider-bindings/exposed-names.tsx';
import { bindingsOf, type Chosen, isBlocked, keyOfTuple } from '../provider-bindings/tuples.ts';

type Credentials = {
  requirements: readonly ProviderRequirement[];
  chosen: Chosen;
  bindings: readonly ProviderBinding[];
  resolutions: readonly ProviderResolution[] | undefined;
  exposedNames: ExposedNames | undefined;
  /** Number of providers that block the plan. */
  blockedCount: number;
  error: unknown;
  again: () => void;
};

/**
 * State of the Connections chosen for the providers of a module and their resolution. `named` lists the inputs that
 * have a value of their own.
 */
export function useCredentials(report: CompatibilityReport, chosen: Chosen, named: readonly string[]): Credentials {
  const requirements = report.providerRequirements ?? [];
  const bindings = bindingsOf(requirements, chosen);
  const preview = useQuery({
    ...bindingsPreviewQuery(report.id, bindings, named),
    enabled: bindings.length > 0 || (report.providerResolutions?.length ?? 0) > 0,
  });
  const resolutions = preview.data?.providerResolutions ?? report.providerResolutions;
  return {
    requirements,
    chosen,
    bindings,
    resolutions,
    exposedNames: bindings.length > 0 ? preview.data?.reach : undefined,
    blockedCount: resolutions?.filter(isBlocked).length ?? 0,
    error: preview.isError ? preview.error : undefined,
    again: () => void preview.refetch(),
  };
}

type Props = { credentials: Credentials; showErrors: boolean; onChange: (chosen: Chosen) => void };

/** The providers of the module, shown before anything is planned. Renders nothing for a module without providers. */
export function CredentialsCard({ credentials, showErrors, onChange }: Props) {
  const t = useText();
  const { requirements, chosen, resolutions, exposedNames, error, again } = credentials;
  const may = useMay();
  if (requirements.length === 0) return null;
  const mayBind = may('createConnection');
  return (
    <Card className="mb-4">
      <div className="border-b border-line px-4 py-3">
        <h2 className="font-semibold">{t('binding.title')}</h2>
        <p className="mt-0.5 text-sm text-muted">{t(mayBind ? 'binding.lead' : 'binding.role')}</p>
      </div>
      {mayBind ? (
        <BindingRows
          requirements={requirements}
          resolutions={resolutions}
          chosen={chosen}
          showErrors={showErrors}
          onChange={onChange}
        />
      ) : (
        <ul>
          {requirements.map((requirement) => (
            <li key={keyOfTuple(requirement)} className="border-t border-line px-4 py-3 first:border-t-0">
              <TupleHead requirement={requirement} />
            </li>
          ))}
        </ul>
      )}
      {error !== undefined && (
        <div className="border-t border-line p-4">
          <ErrorNote error={error} onAgain={again} />
        </div>
      )}
      {exposedNames && <ExposedNamesList exposedNames={exposedNames} />}
    </Card>
  );
}
