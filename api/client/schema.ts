import type { components } from './api-types.ts'

/** A schema of the API document, by name: `Schema<'Charge'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]
