import type { Environment } from './networks.ts'

/** Whose rows: nothing of another organization or the other environment is ever found. */
export type Tenant = { readonly organizationId: string; readonly environment: Environment }
