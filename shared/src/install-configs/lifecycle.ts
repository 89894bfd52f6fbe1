import { z } from 'zod';
import { apiVersion } from '../vendor.ts';
import { BuildCommand } from './source-build.ts';

export const lifecycleCapability = 'capsule.lifecycle.command.v1';

/** The host sets these, and reserves the whole prefix. */
const isOwnName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !name.startsWith('SVC_');
const Seconds = z.int().min(1).max(3_600);

/** One command that is run after an apply or before a destroy; `env` is not secret. */
export const LifecycleAction = z
  .strictObject({
    apiVersion: z.literal(apiVersion),
    kind: z.literal('command'),
    id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/),
    phase: z.enum(['post_apply', 'pre_destroy']),
    cleanupFor: z.string().min(1).max(128).optional(),
    executor: z.enum(['runner', 'operator']),
    command: BuildCommand.shape.argv,
    workingDirectory: BuildCommand.shape.workingDirectory,
    env: z.record(z.string().refine(isOwnName), z.string().max(32_768)).optional(),
    timeoutSeconds: Seconds.optional(),
    /** Alias of `timeoutSeconds`. */
    timeout_seconds: Seconds.optional(),
    runnerCapability: z.literal(lifecycleCapability).optional(),
    useProviderCredentials: z.boolean().optional(),
  })
  .refine((action) => action.timeoutSeconds === undefined || action.timeout_seconds === undefined, {
    path: ['timeout_seconds'],
  });
export type LifecycleAction = z.infer<typeof LifecycleAction>;
