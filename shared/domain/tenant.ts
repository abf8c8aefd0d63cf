import type { Environment } from './networks.ts'

/**
 * The owner of rows. A query for a tenant never returns rows of another organization or of the other environment.
 */
export type Tenant = { readonly organizationId: string; readonly environment: Environment }
