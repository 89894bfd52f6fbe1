/** The types of Interface that a client of this product knows how to use, with the permission for it. */
export const wellKnownInterfaces = {
  launcher: { type: 'interface.ui.surface', version: '1', permission: 'ui.open' },
  mcp: { type: 'mcp.server', version: '2025-11-25', permission: 'mcp.invoke' },
  fileHandler: { type: 'interface.file.handler', version: '1', permission: 'file.open' },
} as const;
export type WellKnownKind = keyof typeof wellKnownInterfaces;

/** Returns which well-known Interface a type is, of any version; undefined for the types of other products. */
export const wellKnownKindOf = (type: string): WellKnownKind | undefined =>
  (Object.keys(wellKnownInterfaces) as WellKnownKind[]).find((kind) => wellKnownInterfaces[kind].type === type);
