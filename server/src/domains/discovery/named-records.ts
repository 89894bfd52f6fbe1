import { z } from 'zod';
import { ActivityEvent } from '#shared/activity/contract';
import { Backup } from '#shared/backups/contract';
import { Capsule } from '#shared/capsules/contract';
import { Connection } from '#shared/connections/contract';
import { Recipe } from '#shared/connections/recipe';
import { Copy, CopyRevision, CopyRevisionRow } from '#shared/copies/contract';
import { Dependency } from '#shared/dependencies/contract';
import { ToolInstall } from '#shared/execution/tool';
import { Import } from '#shared/imports/contract';
import { InstallConfig } from '#shared/install-configs/contract';
import { InstallPlan } from '#shared/install-plans/contract';
import { Interface } from '#shared/interfaces/contract';
import { LateState } from '#shared/late-states/contract';
import { OutputShare } from '#shared/output-shares/contract';
import { PlanDocument, PlanResource } from '#shared/plans/document';
import { ProviderBindingSet } from '#shared/provider-bindings/contract';
import { RevisionPlan } from '#shared/revision-plans/revision-plan';
import { RunGroup } from '#shared/run-groups/contract';
import { RunnerEnrolment, RunnerMachine, RunnerPool, WorkspacePool } from '#shared/runner-pools/contract';
import { Run, RunRow } from '#shared/runs/contract';
import { AuditEvent, Diagnostic, LogEntry } from '#shared/runs/feed';
import { Source, SourceSnapshot, SourceSyncRun } from '#shared/sources/contract';
import { CompatibilityReport } from '#shared/sources/report';
import { Output, StateVersion } from '#shared/state-versions/contract';
import { TokenRecord } from '#shared/tokens/contract';
import { UsageEvent } from '#shared/usage/contract';
import { Member, PolicyConfig, Project, Workspace } from '#shared/workspaces/contract';

/** Records with their own name among the component schemas, so that generated clients have one type for each. */
const records = {
  ActivityEvent,
  AuditEvent,
  Backup,
  Capsule,
  CompatibilityReport,
  Connection,
  Copy,
  CopyRevision,
  CopyRevisionRow,
  Dependency,
  Diagnostic,
  Import,
  InstallConfig,
  InstallPlan,
  Interface,
  LateState,
  LogEntry,
  Member,
  Output,
  OutputShare,
  PlanDocument,
  PlanResource,
  PolicyConfig,
  Project,
  ProviderBindingSet,
  Recipe,
  RevisionPlan,
  Run,
  RunGroup,
  RunnerEnrolment,
  RunnerMachine,
  RunnerPool,
  RunRow,
  Source,
  SourceSnapshot,
  SourceSyncRun,
  StateVersion,
  TokenRecord,
  ToolInstall,
  UsageEvent,
  Workspace,
  WorkspacePool,
};

export const recordNames: ReadonlySet<string> = new Set(Object.keys(records));

/** Registry in which zod looks the names up when it generates JSON Schema. */
export const namedRecords = z.registry<{ id: string }>();
for (const [id, record] of Object.entries(records)) namedRecords.add(record, { id });
