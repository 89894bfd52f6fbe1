import { z } from 'zod';

/** Reasons why the Interfaces that a module needs cannot be used. */
export const requiredInterfaceFaults = [
  'required_interface_missing',
  'required_interface_ambiguous',
  'required_interface_conflict',
] as const;
export type RequiredInterfaceFault = (typeof requiredInterfaceFaults)[number];

/** An Interface of the Workspace that the Capsule uses; it is resolved after the plan. */
export type RequiredInterface = {
  key: string;
  type: string;
  version: string;
  permissions: readonly string[];
  deliveryType: string;
};

/** An Interface that a module needs, and the resolved ones of the Workspace that fit now. A plan needs exactly one. */
export const RequiredInterfaceMatch = z.strictObject({
  key: z.string(),
  type: z.string(),
  version: z.string(),
  permissions: z.array(z.string()),
  /** The oldest ones first; not all of them when there are many. */
  interfaces: z.array(z.strictObject({ id: z.string(), name: z.string() })),
});
export type RequiredInterfaceMatch = z.infer<typeof RequiredInterfaceMatch>;
