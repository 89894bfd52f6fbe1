/** The graph of Capsules, and the reference of the API. */
export const graph = {
  'nav.graph': 'Graph',
  'graph.lead': 'Your Capsules, and the Outputs that go from one to another.',
  'graph.empty.title': 'No Capsule yet',
  'graph.empty.text': 'Install a module. It appears here as a Capsule, with lines to what it depends on.',
  'graph.foreign': 'A Capsule of another Workspace',
  'graph.list': 'Show as a list',
  'graph.collapse': 'Collapse Projects:',
  'graph.project.count': '{count, plural, one {# Capsule} other {# Capsules}}',
  'graph.uses': 'Uses',
  'graph.zoomIn': 'Zoom in',
  'graph.zoomOut': 'Zoom out',
  'graph.fit': 'Show everything',
  'nav.api': 'API reference',
  'reference.title': 'API reference',
  'reference.lead':
    'Every route of this server, with an example for each request and response body. Requests that you try here use the session of this browser.',
  'reference.back': 'Dashboard',
} as const;
