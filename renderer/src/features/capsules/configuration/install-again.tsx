import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Capsule } from '#shared/capsules/contract';
import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import type { CompatibilityReport } from '#shared/sources/report';
import { installAddress } from '../../../api/install-address.ts';
import { configOfCapsuleQuery, reportQuery, sourceQuery } from '../../../api/records.ts';
import { whenKnown } from '../../../api/when-known.ts';
import { Allowed } from '../../../components/allowed.tsx';
import { findManifestForm } from '../../../components/inputs/presented-form.ts';
import { writeSavedInputs } from '../../../components/inputs/saved-inputs.ts';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { Note } from '../../../ui/surface.tsx';
import { editableInputs, storedEntries } from './changes.ts';

type Props = { capsule: Capsule; configuration: CapsuleConfiguration };

/** Leads from a destroyed Capsule to the installation of its module, with these inputs filled in. Secrets are typed again. */
export function InstallAgain({ capsule, configuration }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const source = useQuery(sourceQuery(capsule.sourceId)).data;
  const report = useQuery(whenKnown(configuration.compatibilityReportId, reportQuery)).data;
  const config = useQuery(configOfCapsuleQuery(capsule.id)).data;
  if (!source || !report || !config) return null;
  const start = () => {
    fillInstallForm(report, configuration, findManifestForm(config));
    const { url, defaultRef: ref, defaultPath: path } = source;
    void navigate({ to: '/new', search: { url: installAddress({ url, ref, path }) } });
  };
  return (
    <Allowed to="createInstallPlan">
      <Note>
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 basis-72">{t('configuration.again.text')}</p>
          <Button variant="primary" onClick={start}>
            {t('configuration.again')}
          </Button>
        </div>
      </Note>
    </Allowed>
  );
}

function fillInstallForm(
  { sourceSnapshotId, modulePath }: CompatibilityReport,
  configuration: CapsuleConfiguration,
  form: ReturnType<typeof findManifestForm>,
): void {
  const fields = editableInputs(configuration, form);
  const entries = storedEntries(configuration, fields);
  const declarations = fields.map(({ declared }) => declared);
  writeSavedInputs({ ownerId: sourceSnapshotId, part: modulePath }, { entries }, declarations);
}
