import type { Environment } from './networks.ts'

/** The owner of rows. Queries for a tenant never return rows of another organization or of the other environment. */
export type Tenant = { readonly organizationId: string; readonly environment: Environment }
