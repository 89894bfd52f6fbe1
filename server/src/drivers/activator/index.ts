export { type Activation, type Activator, createActivator } from './post.ts';
